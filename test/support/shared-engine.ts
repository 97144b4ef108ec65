import { afterAll, beforeAll } from 'vitest';
import type { DockerEngine } from '#main/engines/docker/docker-engine.ts';
import type { Engine } from '#main/engines/engine.ts';
import { openTestEngine, prepareTestImage, removeTestImages, TestBench } from './engine-harness.ts';

/** What the tests of one file share. */
export interface SharedEngine {
  readonly engine: DockerEngine;
  readonly image: string;
  /** Containers and volumes of one test, on this engine or on another. */
  bench(on?: Engine): TestBench;
}

/** Opens this machine's engine before a file's tests, with the tests' image, and ends it after them. */
export function shareTestEngine(): SharedEngine {
  let engine: DockerEngine;
  let image: string;
  beforeAll(async () => {
    engine = await openTestEngine();
    image = await prepareTestImage(engine);
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await removeTestImages();
  });
  return {
    get engine() {
      return engine;
    },
    get image() {
      return image;
    },
    bench: (on = engine) => new TestBench(on, image),
  };
}
