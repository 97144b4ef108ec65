export { documentNames } from './document-names.ts';
export { RunOrchestrator, type OrchestratorOptions } from './run-orchestrator.ts';
export { RunRepository } from './run-repository.ts';
export type { InputFile, RunService, StartRequest } from './run-service.ts';
