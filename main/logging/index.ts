export { createFileLogger } from './file-logger.ts';
export { silentLogger, type Logger } from './logger.ts';
export { Redactor } from './redactor.ts';
