import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import {
  defaultDataDirectory,
  describedWriteFailure,
  ProcessInstanceRegistry,
  type Database,
} from './index.ts';
import { migrate } from './migrations.ts';
import { NodeSqliteDatabase } from './node-sqlite-database.ts';

const folders: string[] = [];
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-store-'));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('migrate', () => {
  it('runs only the steps a database lacks, so that a second start does not fail on existing tables', () => {
    using database = new NodeSqliteDatabase(':memory:');
    migrate(database, ['CREATE TABLE a (x) ']);
    migrate(database, ['CREATE TABLE a (x) ', 'CREATE TABLE b (x)']);
    expect(database.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")).toMatchObject([
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  it('takes no step twice when another process takes it at the same moment', () => {
    const path = join(temporaryFolder(), 'shared.db');
    const steps = ['CREATE TABLE a (x)', 'CREATE TABLE b (x)'];
    using own = new NodeSqliteDatabase(path);
    using other = new NodeSqliteDatabase(path);
    const raced: Database = {
      run: (sql, ...parameters) => own.run(sql, ...parameters),
      get: (sql, ...parameters) => own.get(sql, ...parameters),
      all: (sql, ...parameters) => own.all(sql, ...parameters),
      execute: (sql) => own.execute(sql),
      transaction: (work) => {
        migrate(other, steps);
        return own.transaction(work);
      },
      onForeignChange: (listener) => own.onForeignChange(listener),
      [Symbol.dispose]: () => undefined,
    };
    migrate(raced, steps);
    expect(own.get('PRAGMA user_version')).toEqual({ user_version: 2 });
  });

  it('leaves a database as it was when a step fails half-way', () => {
    using database = new NodeSqliteDatabase(':memory:');
    expect(() => migrate(database, ['CREATE TABLE a (x); CREATE TABLE a (x)'])).toThrow(/already exists/);
    expect(database.all("SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([]);
  });

  it('refuses a database of a later build instead of writing into it', () => {
    using database = new NodeSqliteDatabase(':memory:');
    database.execute('PRAGMA user_version = 99');
    expect(() => migrate(database)).toThrow(ProblemError);
  });
});

describe('opening', () => {
  it('waits for a process that is just making the database, as an app and a command at one time do', async () => {
    const path = join(temporaryFolder(), 'busy.db');
    const child = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      `import { DatabaseSync } from 'node:sqlite';
       const database = new DatabaseSync(${JSON.stringify(path)});
       database.exec('BEGIN EXCLUSIVE; CREATE TABLE a (x)');
       console.log('begun');
       setTimeout(() => database.exec('COMMIT'), 300);`,
    ]);
    await once(child.stdout, 'data');
    using database = new NodeSqliteDatabase(path);
    expect(database.all('SELECT * FROM a')).toEqual([]);
  });
});

describe('transaction', () => {
  it('undoes the outer work when an inner one throws', () => {
    using database = new NodeSqliteDatabase(':memory:');
    database.execute('CREATE TABLE a (x)');
    expect(() =>
      database.transaction(() => {
        database.run('INSERT INTO a VALUES (1)');
        database.transaction(() => {
          throw new Error('inner');
        });
      }),
    ).toThrow('inner');
    expect(database.all('SELECT * FROM a')).toEqual([]);
  });
});

describe('a full disk', () => {
  it('is named by every write, keeps what was there, and takes more once there is room', () => {
    using database = new NodeSqliteDatabase(':memory:');
    database.execute('CREATE TABLE note (text TEXT); PRAGMA max_page_count = 4;');
    database.run('INSERT INTO note VALUES (?)', 'kept');
    const long = 'x'.repeat(100_000);
    const full = expect.objectContaining({ problem: expect.objectContaining({ code: 'disk_full' }) });
    expect(() => database.run('INSERT INTO note VALUES (?)', long)).toThrow(full);
    expect(() => database.transaction(() => database.run('INSERT INTO note VALUES (?)', long))).toThrow(full);
    expect(database.all('SELECT text FROM note')).toEqual([{ text: 'kept' }]);
    database.execute('PRAGMA max_page_count = 4000');
    database.run('INSERT INTO note VALUES (?)', long);
    expect(database.get('SELECT count(*) AS notes FROM note')).toEqual({ notes: 2 });
  });

  it('is told apart from other failures of the disk', () => {
    const failed = (code: string) => Object.assign(new Error(code), { code });
    expect(describedWriteFailure(failed('ENOSPC'))).toMatchObject({ problem: { code: 'disk_full' } });
    const denied = failed('EACCES');
    expect(describedWriteFailure(denied)).toBe(denied);
  });
});

describe('ProcessInstanceRegistry', () => {
  it('tells a killed instance from a live one, though both left a file', async () => {
    const state = temporaryFolder();
    const child = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { ProcessInstanceRegistry } from ${JSON.stringify(join(import.meta.dirname, 'process-instance-registry.ts'))};
       console.log(new ProcessInstanceRegistry(${JSON.stringify(state)}).instanceId);
       setInterval(() => {}, 1000);`,
    ]);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const childId = line.toString().trim();
    using registry = new ProcessInstanceRegistry(state);
    expect(registry.isLive(childId)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(registry.isLive(childId)).toBe(false);
    expect(registry.isLive(registry.instanceId)).toBe(true);
  });

  it('does not take another process that got the same id for the dead instance', () => {
    const state = temporaryFolder();
    using registry = new ProcessInstanceRegistry(state);
    const stranger = '00000000-0000-4000-8000-000000000000';
    writeFileSync(
      join(state, 'instances', `${stranger}.json`),
      JSON.stringify({ pid: process.pid, startedAt: '1' }),
    );
    expect(registry.isLive(stranger)).toBe(false);
  });

  it('forgets dead instances and survives a damaged file', () => {
    const state = temporaryFolder();
    new ProcessInstanceRegistry(state)[Symbol.dispose]();
    writeFileSync(join(state, 'instances', 'damaged.json'), '{');
    using registry = new ProcessInstanceRegistry(state);
    expect(readdirSync(join(state, 'instances'))).toEqual([`${registry.instanceId}.json`]);
    expect(registry.isLive('../../etc/passwd')).toBe(false);
  });
});

describe('defaultDataDirectory', () => {
  it.each([
    ['linux', {}, '/home/a/.local/share/slipway'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/slipway'],
    ['darwin', {}, '/home/a/Library/Application Support/Slipway'],
    ['linux', { SLIPWAY_DATA_DIR: '/chosen' }, '/chosen'],
  ] as const)('%s with %o', (platform, variables, expected) => {
    expect(defaultDataDirectory({ platform, home: '/home/a', variables })).toBe(expected);
  });
});
