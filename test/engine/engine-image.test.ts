import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { afterAll, describe, expect, it } from 'vitest';
import type { ImageRecipe } from '#main/engines/image/recipe.ts';
import { tryExclusiveLock } from '#main/store/index.ts';
import type { ImageStatus } from '#shared/engines/engine-report.ts';
import { never, openTestClient, openTestEngine, removeTestImages } from '#test/support/engine-harness.ts';
import { SocketProxy } from '#test/support/socket-proxy.ts';

const REPOSITORY = 'slipway-test-build';
afterAll(() => removeTestImages(REPOSITORY));

/** A recipe of nothing but a Dockerfile. */
function recipeOf(name: string, dockerfile: string): ImageRecipe {
  return {
    repository: REPOSITORY,
    tag: `${REPOSITORY}:${name}`,
    dockerfile,
    context: () => {
      const archive = pack();
      archive.entry({ name: 'Dockerfile' }, dockerfile);
      archive.finalize();
      return Readable.from(archive);
    },
  };
}

async function containersOf(command: string): Promise<string[]> {
  using client = await openTestClient();
  const list = await client.docker.listContainers({ all: true });
  return list.filter(({ Command }) => Command.includes(command)).map(({ Id }) => Id);
}

async function isThere(tag: string): Promise<boolean> {
  using client = await openTestClient();
  return client.docker
    .getImage(tag)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

describe('an image build', () => {
  it('that fails half-way tells so with its last lines, and leaves nothing behind', async () => {
    const dockerfile =
      'FROM debian:bookworm-slim\nRUN echo first line\nRUN echo the last words; exit 7\nRUN echo never reached\n';
    await using engine = await openTestEngine({
      recipe: () => Promise.resolve(recipeOf('broken', dockerfile)),
    });
    const told: ImageStatus[] = [];
    const building = engine.ensureImage({ signal: never, onProgress: (status) => told.push(status) });
    await expect(building).rejects.toMatchObject({
      problem: {
        code: 'image_build_failed',
        detail: expect.stringContaining('returned a non-zero code: 7') as string,
        context: expect.arrayContaining([
          expect.stringContaining('first line'),
          expect.stringContaining('the last words'),
        ]) as string[],
      },
    });
    expect(told[0]).toMatchObject({ state: 'building' });
    expect(told.at(-1)).toMatchObject({ state: 'failed', problem: { code: 'image_build_failed' } });
    expect(JSON.stringify(told)).not.toContain('never reached');
    expect(await containersOf('the last words')).toEqual([]);
    expect(await isThere(`${REPOSITORY}:broken`)).toBe(false);
  });

  it.each([
    ['disk', 'No space left on device', /disk is full/],
    ['network', "Temporary failure resolving 'deb.debian.org'", /could not be fetched/],
  ])('that has no %s says what to do', async (name, words, reason) => {
    const dockerfile = `FROM debian:bookworm-slim\nRUN echo "${words}" >&2; exit 1\n`;
    await using engine = await openTestEngine({ recipe: () => Promise.resolve(recipeOf(name, dockerfile)) });
    await expect(engine.ensureImage({ signal: never, onProgress: () => undefined })).rejects.toMatchObject({
      problem: {
        code: 'image_build_failed',
        detail: expect.stringMatching(reason) as string,
        action: expect.stringMatching(/Free|Check/) as string,
      },
    });
  });

  it('that loses its engine says that, and not that the image is at fault', async () => {
    using client = await openTestClient();
    await using proxy = await SocketProxy.open(client.socketPath);
    const dockerfile = 'FROM debian:bookworm-slim\nRUN echo begun; sleep 57\n';
    await using engine = await openTestEngine({
      endpoint: { kind: 'socket', path: proxy.path },
      recipe: () => Promise.resolve(recipeOf('cut', dockerfile)),
    });
    const begun = Promise.withResolvers<void>();
    const building = engine.ensureImage({
      signal: never,
      onProgress: ({ lines }) => {
        if (lines.some((line) => line.includes('begun'))) begun.resolve();
      },
    });
    building.catch(() => undefined);
    await begun.promise;
    await proxy.cut();
    await expect(building).rejects.toMatchObject({ problem: { code: 'engine_unreachable' } });
  });

  it('that another process has begun is waited for and not made twice', async () => {
    const dockerfile = 'FROM debian:bookworm-slim\nRUN echo begun; sleep 3; echo once > /made\n';
    const folder = mkdtempSync(join(tmpdir(), 'slipway-build-'));
    try {
      const options = {
        recipe: () => Promise.resolve(recipeOf('in-turn', dockerfile)),
        claimBuild: () => tryExclusiveLock(join(folder, 'image-build.lock')),
      };
      await using first = await openTestEngine(options);
      await using second = await openTestEngine(options);
      await using third = await openTestEngine(options);
      const begun = Promise.withResolvers<void>();
      const building = first.ensureImage({
        signal: never,
        onProgress: ({ lines }) => {
          if (lines.some((line) => line.includes('begun'))) begun.resolve();
        },
      });
      await Promise.race([begun.promise, building]);
      const steps = new Set<string | undefined>();
      const waiting = second.ensureImage({ signal: never, onProgress: ({ step }) => steps.add(step) });
      const leaving = new AbortController();
      const left = third.ensureImage({ signal: leaving.signal, onProgress: () => undefined });
      leaving.abort(new Error('the third gave up'));
      await expect(left).rejects.toThrow('the third gave up');
      expect(await Promise.all([building, waiting])).toEqual(Array(2).fill(`${REPOSITORY}:in-turn`));
      expect([...steps]).toEqual(['Another Slipway builds the image; waiting for it', undefined]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('that the last one who waits gives up ends in the engine too', async () => {
    const dockerfile = 'FROM debian:bookworm-slim\nRUN echo begun; sleep 58\n';
    await using engine = await openTestEngine({
      recipe: () => Promise.resolve(recipeOf('given-up', dockerfile)),
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const begun = Promise.withResolvers<void>();
    const onProgress = ({ lines }: ImageStatus): void => {
      if (lines.some((line) => line.includes('begun'))) begun.resolve();
    };
    const both = [first, second].map(({ signal }) => engine.ensureImage({ signal, onProgress }));
    for (const each of both) each.catch(() => undefined);
    await begun.promise;
    expect(await containersOf('sleep 58')).toHaveLength(1);
    first.abort(new Error('the first gave up'));
    await expect(both[0]).rejects.toThrow('the first gave up');
    second.abort(new Error('the second gave up'));
    await expect(both[1]).rejects.toThrow('the second gave up');
    for (let tries = 0; tries < 100 && (await containersOf('sleep 58')).length > 0; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await containersOf('sleep 58')).toEqual([]);
  });
});
