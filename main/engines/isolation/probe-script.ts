/** What the probe is told: where to try to get. */
export interface ProbeParameters {
  readonly socketPath: string;
  /** Addresses that must not be reached, with the check each belongs to. */
  readonly targets: readonly { readonly check: 'internet' | 'metadata' | 'host'; readonly address: string }[];
  readonly names: readonly string[];
  readonly deadlineMs: number;
}

/**
 * Plays the sidecar: listens on its socket. Given to Node as text, so it refers to nothing outside itself.
 */
export function listenerProgram(socketPath: string): void {
  const net = process.getBuiltinModule('node:net');
  net
    .createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('slipway');
    })
    .listen({ path: socketPath, readableAll: true, writableAll: true });
}

/**
 * Looks around from inside a sandbox and prints what it found as one line of JSON. Given to Node as text,
 * so it refers to nothing outside itself.
 */
export async function probeProgram(parameters: ProbeParameters): Promise<void> {
  const fs = process.getBuiltinModule('node:fs');
  const os = process.getBuiltinModule('node:os');
  const net = process.getBuiltinModule('node:net');
  const dns = process.getBuiltinModule('node:dns');
  const { socketPath, targets, names, deadlineMs } = parameters;

  const read = (path: string): string => {
    try {
      return fs.readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  /** Code of the failure to write a file there, or `written`. */
  const tryToWrite = (folder: string): string => {
    const file = `${folder}/slipway-probe-${process.pid}`;
    try {
      fs.writeFileSync(file, '');
      fs.rmSync(file, { force: true });
      return 'written';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
  };
  const connect = (options: { path: string } | { host: string; port: number }): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect(options as { path: string });
      const end = (outcome: string): void => {
        clearTimeout(timer);
        socket.destroy();
        resolve(outcome);
      };
      const timer = setTimeout(end, deadlineMs, 'ETIMEDOUT');
      socket.on('connect', () => end('connected'));
      socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'unknown'));
    });
  /** The listener starts at the same time: it may take a moment to be there. */
  const connectToSidecar = async (): Promise<string> => {
    const until = Date.now() + deadlineMs;
    for (;;) {
      const outcome = await connect({ path: socketPath });
      if (outcome === 'connected' || Date.now() > until) return outcome;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const lookUp = (name: string): Promise<string> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs, 'ETIMEDOUT');
      dns.lookup(name, (error) => {
        clearTimeout(timer);
        resolve(error ? (error.code ?? 'unknown') : 'resolved');
      });
    });

  const status = read('/proc/self/status');
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  const [sidecar, reached, resolved] = await Promise.all([
    connectToSidecar(),
    Promise.all(
      targets.map(async ({ check, address }) => ({
        check,
        address,
        outcome: await connect({ host: address, port: 80 }),
      })),
    ),
    Promise.all(names.map(async (name) => ({ name, outcome: await lookUp(name) }))),
  ]);
  const facts = {
    userId: process.getuid?.() ?? -1,
    effectiveCapabilities: field('CapEff'),
    boundingCapabilities: field('CapBnd'),
    noNewPrivileges: field('NoNewPrivs'),
    seccomp: field('Seccomp'),
    rootWrite: ['/', '/usr', '/etc'].map(tryToWrite),
    interfaces: Object.entries(os.networkInterfaces())
      .filter(([, addresses]) => addresses?.some(({ internal }) => !internal))
      .map(([name]) => name),
    // Interfaces that are up without an address are seen only here.
    devices: read('/proc/net/dev')
      .split('\n')
      .slice(2)
      .map((line) => line.split(':')[0]?.trim() ?? '')
      .filter((name) => name !== ''),
    routes: read('/proc/net/route').trim().split('\n').slice(1),
    reached,
    resolved,
    sidecar,
    sidecarWrite: tryToWrite(socketPath.replace(/\/[^/]*$/, '')),
    engineSocket: ['/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock'].filter((path) =>
      fs.existsSync(path),
    ),
  };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

/** A function of this module with its argument, as a script for `node -`. */
export function scriptOf<A>(program: (argument: A) => unknown, argument: A): string {
  return `void (${program.toString()})(${JSON.stringify(argument)});\n`;
}
