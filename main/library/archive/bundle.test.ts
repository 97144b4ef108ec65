import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import { integrityOfPackages, isBundle, readBundle, writeBundle } from './bundle.ts';
import { canonicalJson } from '#shared/text/canonical-json.ts';
import { recordIntegrity } from './package-record.ts';
import { readArchive } from './read-archive.ts';
import {
  applyPolicy,
  createSigningKey,
  SIGNATURE_FILE,
  signingKeyOf,
  signPackages,
  verifySignature,
  vouchFor,
  type SigningKey,
} from './signature.ts';

const root = '@you/report@1.0.0';
const skill = '@you/charts@2.1.0-rc.1';

function files(texts: Record<string, string>): Map<string, Buffer> {
  return new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));
}

const packages = new Map([
  [root, files({ 'manifest.json': '{"name":"@you/report"}', 'prompt.md': 'Do it.', 'ä/b c.txt': '' })],
  [skill, files({ 'manifest.json': '{}', 'SKILL.md': '---\nname: charts\n---\n' })],
]);

async function archived(): Promise<Map<string, Buffer>> {
  const { bytes } = await writeBundle({ root, packages });
  return new Map((await readArchive(bytes)).files);
}

function codeOf(content: ReadonlyMap<string, Buffer>): string {
  try {
    readBundle(content);
    return 'read';
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code;
    throw error;
  }
}

describe('a bundle', () => {
  it('is read back as it was written, whatever the order', async () => {
    const { bytes, integrity } = await writeBundle({ root, packages, metadata: { made: 'here' } });
    const content = (await readArchive(bytes)).files;
    expect(isBundle(content)).toBe(true);
    const bundle = readBundle(content);
    expect(bundle).toEqual({ root, packages, integrity, metadata: { made: 'here' } });
    const turned = await writeBundle({
      root,
      packages: new Map([...packages].toReversed()),
      metadata: { made: 'here' },
    });
    expect(turned.bytes.equals(bytes)).toBe(true);
  });

  it('agrees with the reference on every digest', () => {
    const record =
      'manifest.json,sha256=7NbN41iKk77DD4pd2j+n8JVjR1cbeR3PaoGv1+yBw2s,253\n' +
      'prompt.md,sha256=Ihf4smixhaiLoGeIncUdOmPZYfK3MNYkcbR5b8+T+Yw,216\n';
    const integrity = recordIntegrity(record);
    expect(integrity).toBe('sha256-44Mc9+1MffgmJs1J7HDk6ORULd/yIBliRZ4SBO4NoeM=');
    const identity = '@afps/conformance-ref@1.0.0';
    const path = 'packages/@afps/conformance-ref/1.0.0/';
    expect(recordIntegrity(canonicalJson({ [identity]: { path, integrity } }))).toBe(
      'sha256-UOsWdr6EKroK4xf14BXNInJb4xgjwnW7USaB9gchZd4=',
    );
  });

  const folder = 'packages/@you/report/1.0.0/';
  const edit =
    (change: (content: Map<string, Buffer>, description: Record<string, unknown>) => void) => async () => {
      const content = await archived();
      const description = JSON.parse(content.get('bundle.json')!.toString()) as Record<string, unknown>;
      change(content, description);
      if (content.has('bundle.json')) content.set('bundle.json', Buffer.from(JSON.stringify(description)));
      return content;
    };

  it.each([
    ['no bundle.json', 'bundle_json_missing', edit((content) => content.delete('bundle.json'))],
    ['a field of the wrong type', 'bundle_json_invalid', edit((_, about) => (about['root'] = 5))],
    [
      'a version of another family',
      'bundle_version_unsupported',
      edit((_, about) => (about['bundleFormatVersion'] = '2.0')),
    ],
    [
      'a root that is not there',
      'bundle_json_invalid',
      edit((_, about) => (about['root'] = '@you/other@1.0.0')),
    ],
    [
      'a package without its list',
      'bundle_record_missing',
      edit((content) => content.delete(`${folder}RECORD`)),
    ],
    [
      'a list that was changed',
      'bundle_integrity_mismatch',
      edit((content) => content.set(`${folder}RECORD`, Buffer.from(''))),
    ],
    [
      'a file that was changed',
      'bundle_record_mismatch',
      edit((content) => content.set(`${folder}prompt.md`, Buffer.from('Do evil.'))),
    ],
    [
      'a file that was added',
      'bundle_record_mismatch',
      edit((content) => content.set(`${folder}extra`, Buffer.from('x'))),
    ],
    [
      'a file that was taken out',
      'bundle_record_mismatch',
      edit((content) => content.delete(`${folder}prompt.md`)),
    ],
    [
      'a file beside the packages',
      'bundle_files_unlisted',
      edit((content) => content.set('packages/x', Buffer.from('x'))),
    ],
    ['another integrity', 'bundle_integrity_mismatch', edit((_, about) => (about['integrity'] = 'sha256-x'))],
    [
      'a package of no name',
      'bundle_json_invalid',
      edit(
        (_, about) =>
          (about['packages'] = {
            ...(about['packages'] as object),
            '../x@1.0.0': { path: 'x', integrity: 'y' },
          }),
      ),
    ],
    [
      'a package in the folder of another',
      'bundle_json_invalid',
      edit(
        (_, about) =>
          (about['packages'] = { [root]: { path: 'packages/@you/charts/2.1.0-rc.1/', integrity: 'y' } }),
      ),
    ],
    [
      'too many packages',
      'bundle_limits_exceeded',
      edit((_, about) => {
        const many = Array.from({ length: 513 }, (__, index) => [
          `@a/p${index}@1.0.0`,
          { path: '', integrity: '' },
        ]);
        about['packages'] = Object.fromEntries(many) as unknown;
      }),
    ],
  ])('is refused with %s', async (_, code, content) => {
    expect(codeOf(await content())).toBe(code);
  });

  it.each([
    ['not sorted', 'b,sha256=x,1\na,sha256=x,1\n'],
    ['with a carriage return', 'a,sha256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n'],
    ['without an end of line', 'a,sha256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU,0'],
  ])('is refused with a list that is %s, though its checksum is right', (_, record) => {
    const identity = '@a/b@1.0.0';
    const path = 'packages/@a/b/1.0.0/';
    const about = { [identity]: { path, integrity: recordIntegrity(record) } };
    const description = {
      bundleFormatVersion: '1.0',
      root: identity,
      packages: about,
      integrity: recordIntegrity(canonicalJson(about)),
    };
    const content = files({
      'bundle.json': JSON.stringify(description),
      [`${path}RECORD`]: record,
      [`${path}a`]: '',
    });
    expect(codeOf(content)).toBe('bundle_record_malformed');
  });

  it('is refused when it has no manifest, and cannot be made of paths its list cannot hold', async () => {
    const bare = await writeBundle({ root, packages: new Map([[root, files({ 'prompt.md': 'x' })]]) });
    expect(codeOf((await readArchive(bare.bytes)).files)).toBe('bundle_manifest_missing');
    const comma = writeBundle({ root, packages: new Map([[root, files({ 'a,b': 'x' })]]) });
    await expect(comma).rejects.toThrow(/comma/);
  });

  it.each([
    ['RECORD', 'bundle_path_unlisted'],
    ['record', 'archive_path_repeated'],
    ['RECORD/a', 'archive_path_repeated'],
  ])('cannot be made of a package that has a %s of its own, which would be lost', async (path, code) => {
    const own = files({ 'manifest.json': '{}', [path]: 'x' });
    const writing = writeBundle({ root, packages: new Map([[root, own]]) });
    await expect(writing).rejects.toMatchObject({ problem: { code } });
  });

  it('is refused when it names two roots, of which two readers may take different ones', async () => {
    const content = await archived();
    const text = String(content.get('bundle.json')).replace('"root"', `"root":"${skill}","root"`);
    expect(JSON.parse(text)).toMatchObject({ root });
    expect(codeOf(content.set('bundle.json', Buffer.from(text)))).toBe('bundle_json_invalid');
  });

  it('gives away any byte that was changed', async () => {
    const { bytes } = await writeBundle({ root, packages });
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ by;
        const outcome = await readArchive(changed)
          .then(({ files: content }) => readBundle(content))
          .catch(() => undefined);
        // A byte of a time or of a version number changes nothing that is read.
        expect(outcome?.packages ?? packages).toEqual(packages);
        expect(outcome?.root ?? root).toBe(root);
      }),
      { numRuns: 400 },
    );
  });
});

describe('canonical JSON', () => {
  it('is the same for equal values and reads back as them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
    expect(canonicalJson({ b: 1, a: [undefined, { d: undefined, c: 'é' }] })).toBe(
      '{"a":[null,{"c":"é"}],"b":1}',
    );
    expect(() => canonicalJson({ a: Infinity })).toThrow(TypeError);
  });
});

describe('the signature of a bundle', () => {
  const key = createSigningKey();
  const middle = createSigningKey();
  const trustRoot = createSigningKey();
  const trusted = [{ keyId: trustRoot.keyId, publicKey: trustRoot.publicKey }];
  const chain = [vouchFor(key, middle), vouchFor(middle, trustRoot)];

  function verdict(signed: typeof packages | ReturnType<typeof signPackages>, keys = trusted) {
    return verifySignature({ root, packages: signed }, keys);
  }

  it('survives the archive and leads to a trusted key, directly or over a chain', async () => {
    const signed = signPackages({ root, packages }, key, chain);
    const { bytes } = await writeBundle({ root, packages: signed });
    const bundle = readBundle((await readArchive(bytes)).files);
    expect(verifySignature(bundle, trusted)).toEqual({
      state: 'trusted',
      keyId: key.keyId,
      rootKeyId: trustRoot.keyId,
    });
    expect(verdict(signPackages({ root, packages }, trustRoot))).toMatchObject({ state: 'trusted' });
    expect(verdict(packages)).toEqual({ state: 'unsigned' });
  });

  it('does not change what it stands for', () => {
    const signed = signPackages({ root, packages }, key);
    expect(integrityOfPackages(signed)).not.toBe(integrityOfPackages(packages));
    const again = signPackages({ root, packages: signed }, key);
    expect(again.get(root)?.get(SIGNATURE_FILE)).toEqual(signed.get(root)?.get(SIGNATURE_FILE));
  });

  it('is refused beside a RECORD, which it does not cover', () => {
    const content = new Map(packages.get(root)).set('RECORD', Buffer.from('Do evil.'));
    const withRecord = new Map(signPackages({ root, packages }, trustRoot));
    withRecord.set(root, new Map(withRecord.get(root)).set('RECORD', Buffer.from('Do evil.')));
    expect(verdict(withRecord)).toMatchObject({ state: 'refused', reason: 'signature_invalid' });
    const own = new Map(packages).set(root, content);
    expect(() => signPackages({ root, packages: own }, key)).toThrow(/RECORD/);
  });

  const changedFile = (signed: ReturnType<typeof signPackages>, identity: string) => {
    const content = new Map(signed.get(identity)).set('prompt.md', Buffer.from('Do evil.'));
    return new Map(signed).set(identity, content);
  };
  const withSignature = (value: unknown) =>
    new Map(packages).set(
      root,
      new Map(packages.get(root)).set(SIGNATURE_FILE, Buffer.from(JSON.stringify(value))),
    );
  const stranger = createSigningKey();
  const good = () =>
    JSON.parse(
      signPackages({ root, packages }, key, chain).get(root)!.get(SIGNATURE_FILE)!.toString(),
    ) as object;

  it.each([
    [
      'a root package that was changed',
      'signature_invalid',
      () => changedFile(signPackages({ root, packages }, key, chain), root),
    ],
    [
      'a dependency that was changed',
      'signature_invalid',
      () => changedFile(signPackages({ root, packages }, key, chain), skill),
    ],
    ['a key nobody knows', 'chain_missing', () => signPackages({ root, packages }, stranger)],
    [
      'a chain that does not name the key',
      'chain_untrusted',
      () => signPackages({ root, packages }, stranger, chain),
    ],
    [
      'a chain that ends before a trusted key',
      'chain_untrusted',
      () => signPackages({ root, packages }, key, [vouchFor(key, middle)]),
    ],
    [
      'a chain that was forged',
      'chain_invalid',
      () =>
        signPackages({ root, packages }, stranger, [
          { ...vouchFor(stranger, stranger), parentKeyId: trustRoot.keyId },
        ]),
    ],
    [
      'a chain in a circle',
      'chain_invalid',
      () => signPackages({ root, packages }, key, [vouchFor(key, middle), vouchFor(middle, key)]),
    ],
    ['another method', 'alg_unsupported', () => withSignature({ ...good(), alg: 'rsa' })],
    ['a signature cut short', 'malformed', () => withSignature({ ...good(), signature: 'AAAA' })],
    ['no signature in it', 'malformed', () => withSignature([])],
  ])('is refused with %s', (_, reason, signed) => {
    expect(verdict(signed())).toMatchObject({ state: 'refused', reason });
  });

  it('is not taken from a stranger who calls the key by a trusted name', () => {
    const posing: SigningKey = { ...stranger, keyId: trustRoot.keyId };
    const signed = signPackages({ root, packages }, posing, [
      { ...vouchFor(stranger, stranger), keyId: trustRoot.keyId },
    ]);
    expect(verdict(signed)).toMatchObject({ state: 'refused', reason: 'signature_invalid' });
  });

  it('is kept as a seed that gives the same key again', () => {
    expect(signingKeyOf(key.seed)).toEqual(key);
    expect(key.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(() => signingKeyOf('AAAA')).toThrow(/32 bytes/);
  });

  it.each([
    ['off', 'unsigned', true, false],
    ['warn', 'unsigned', true, true],
    ['required', 'unsigned', false, true],
    ['required', 'trusted', true, false],
  ] as const)(
    'under the policy %s, an %s bundle: taken %s, warned of %s',
    (policy, state, isAccepted, isWarned) => {
      const outcome = applyPolicy(
        state === 'trusted' ? { state, keyId: 'a', rootKeyId: 'b' } : { state },
        policy,
      );
      expect([outcome.isAccepted, outcome.warning !== undefined]).toEqual([isAccepted, isWarned]);
    },
  );

  it('tells a person why it was refused', () => {
    const refused = { state: 'refused', reason: 'signature_invalid', keyId: 'a' } as const;
    expect(applyPolicy(refused, 'warn')).toMatchObject({ isAccepted: true, warning: /changed/ });
    expect(applyPolicy(refused, 'required').isAccepted).toBe(false);
    expect(applyPolicy(refused, 'off')).toEqual({ isAccepted: true, warning: undefined });
  });
});
