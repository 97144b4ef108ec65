export { documentNames } from './document-names.ts';
export { readInternalHosts } from './run-integrations.ts';
export { RunOrchestrator, type OrchestratorOptions } from './run-orchestrator.ts';
export { RunRepository } from './run-repository.ts';
export type { InputFile, RunService, StartRequest } from './run-service.ts';
export { openServerBench, type ServerBench, type ServerBenchOptions } from './runners/server-bench.ts';
