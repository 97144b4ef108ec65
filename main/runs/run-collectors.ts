import { OutputCollector, type ArchiveSource } from './output-collector.ts';
import { ResourceCollector } from './resource-collector.ts';
import type { RunRecorder } from './run-recorder.ts';

/** What brings a run's files to this computer. */
export interface RunCollectors {
  readonly outputs: OutputCollector;
  readonly resources: ResourceCollector;
}

/** Collectors that tell a run's record of each file. */
export function createCollectors(
  source: ArchiveSource,
  { outputFolder, resourceFolder }: { readonly outputFolder: string; readonly resourceFolder: string },
  recorder: RunRecorder,
): RunCollectors {
  const kept = new Set<string>();
  return {
    outputs: new OutputCollector(source, outputFolder, {
      kept: (file, sha256) => {
        kept.add(file.path);
        recorder.saveOutputFile(file);
        recorder.update({ fileCount: kept.size });
        const { path, size, mediaType } = file;
        recorder.append({ type: 'file.kept', path, size, mediaType, sha256 });
      },
      skipped: (path, problem) => recorder.append({ type: 'file.skipped', path, problem }),
      removed: (path) => {
        kept.delete(path);
        recorder.removeOutputFile(path);
        recorder.update({ fileCount: kept.size });
        recorder.append({ type: 'file.removed', path });
      },
    }),
    resources: new ResourceCollector(source, resourceFolder, {
      kept: (path, size) => recorder.append({ type: 'resource.kept', path, size }),
      skipped: (path, problem) => recorder.append({ type: 'resource.skipped', path, problem }),
    }),
  };
}
