import type { EngineReport } from '#shared/engines/engine-report.ts';

/** Why no run can be started on the engine as it is; `undefined` when one can, or may be tried. */
export function runBlocker(engine: EngineReport | undefined): string | undefined {
  switch (engine?.state) {
    case undefined:
    case 'looking':
      return 'Slipway is still looking for a container engine.';
    case 'missing':
      return 'No container engine answers. See Settings, Engine.';
    case 'needs_consent':
      return 'No container engine is in use, and running without isolation needs your consent. See Settings, Engine.';
    case 'ready':
      return undefined;
  }
}
