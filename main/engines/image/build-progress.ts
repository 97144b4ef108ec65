import { z } from 'zod';

/** One event of an engine's build, as its API sends them. */
export const buildEventSchema = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
  error: z.string().optional(),
});
export type BuildEvent = z.infer<typeof buildEventSchema>;

/** How far a build is. */
export interface BuildProgress {
  /** Named step, for a person. */
  readonly step: string;
  /** 0 to 1; never goes back. */
  readonly fraction: number;
  /** The newest lines, oldest first. */
  readonly lines: readonly string[];
}

/** Lines of a build that are kept. */
export const KEPT_LINES = 20;
const LINE_LENGTH = 500;

interface Step {
  readonly title: string;
  /** Share of the whole time it takes, as measured; only the proportions count. */
  readonly weight: number;
}

/** Steps of a Dockerfile as the engine counts them: one for each instruction. */
export function dockerfileSteps(dockerfile: string): Step[] {
  const instructions: string[] = [];
  let continued = false;
  for (const line of dockerfile.split('\n')) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    if (continued) instructions[instructions.length - 1] += ` ${text.replace(/\\$/, '')}`;
    else instructions.push(text.replace(/\\$/, ''));
    continued = text.endsWith('\\');
  }
  return instructions.map(describeInstruction);
}

function describeInstruction(instruction: string): Step {
  const [keyword = '', ...rest] = instruction.split(/\s+/);
  switch (keyword.toUpperCase()) {
    case 'FROM':
      return { title: `Fetching the base image ${rest[0]?.includes('$') ? 'of Node' : rest[0]}`, weight: 10 };
    case 'RUN':
      return describeCommand(instruction);
    case 'COPY':
      return { title: copyTitle(rest), weight: 4 };
    default:
      return { title: 'Preparing', weight: 0.2 };
  }
}

function describeCommand(instruction: string): Step {
  if (instruction.includes('apt-get')) return { title: 'Installing Debian packages', weight: 60 };
  if (instruction.includes('--rehearse')) return { title: "Compiling Slipway's programs", weight: 3 };
  return { title: 'Preparing users and folders', weight: 2 };
}

function copyTitle(words: readonly string[]): string {
  if (words.some((word) => word.startsWith('--from'))) return 'Adding Node';
  return words[0] === 'programs' ? "Adding Slipway's programs" : 'Adding Pi';
}

/** Follows a build's events: which step it is at, how far, and what it said last. */
export class BuildProgressTracker {
  readonly #steps: readonly Step[];
  readonly #total: number;
  readonly #lines: string[] = [];
  readonly #layers = new Map<string, { current: number; total: number }>();
  #partial = '';
  #current = -1;
  #within = 0;
  #fraction = 0;
  #packages = 0;
  #packageSteps = 0;
  #error: string | undefined;

  constructor(dockerfile: string) {
    this.#steps = dockerfileSteps(dockerfile);
    this.#total = this.#steps.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** Why the build failed, once an event has said so. */
  get error(): string | undefined {
    return this.#error;
  }

  get progress(): BuildProgress {
    const before = this.#steps.slice(0, Math.max(this.#current, 0));
    const done = before.reduce((sum, { weight }) => sum + weight, 0);
    const step = this.#steps[this.#current];
    const fraction = (done + (step?.weight ?? 0) * this.#within) / this.#total;
    this.#fraction = Math.min(Math.max(this.#fraction, fraction), 1);
    return {
      step: step?.title ?? 'Sending the recipe to the engine',
      fraction: this.#fraction,
      lines: [...this.#lines],
    };
  }

  add(event: BuildEvent): void {
    if (event.error !== undefined) {
      this.#endLine();
      this.#error = event.error.trim();
      this.#keep(this.#error);
    }
    if (event.stream !== undefined) this.#addText(event.stream);
    if (event.status !== undefined) this.#addPull(event.status, event);
  }

  #addText(text: string): void {
    const lines = (this.#partial + text).split(/\r\n|[\r\n]/);
    this.#partial = (lines.pop() ?? '').slice(0, LINE_LENGTH);
    for (const line of lines) this.#addLine(line);
  }

  #endLine(): void {
    if (this.#partial !== '') this.#addLine(this.#partial);
    this.#partial = '';
  }

  #addLine(line: string): void {
    const text = withoutControls(line).trimEnd();
    // dpkg counts up to 100 % for each package.
    if (text === '' || /^\(Reading database \.\.\. \d+%$/.test(text)) return;
    this.#keep(text);
    const step = /^step (\d+)\/\d+ ?:/i.exec(text)?.[1];
    if (step !== undefined) this.#enter(Number(step) - 1);
    else this.#addPackageLine(text);
  }

  #enter(step: number): void {
    this.#current = Math.min(step, this.#steps.length - 1);
    this.#within = 0;
    this.#layers.clear();
    this.#packages = 0;
    this.#packageSteps = 0;
  }

  /** apt says how many packages it takes, then names each when it gets, unpacks and sets it up. */
  #addPackageLine(text: string): void {
    const count = /(\d+) newly installed/.exec(text)?.[1];
    if (count !== undefined) this.#packages = Number(count);
    else if (this.#packages > 0 && /^(Get:\d+ |Unpacking |Setting up )/.test(text)) {
      this.#packageSteps += 1;
      this.#within = Math.min(this.#packageSteps / (3 * this.#packages), 1);
    }
  }

  #addPull(status: string, { id, progressDetail }: BuildEvent): void {
    if (id === undefined || progressDetail?.total === undefined) {
      if (id === undefined || !/^(Waiting|Verifying|Download complete|Pull complete)/.test(status))
        this.#keep(withoutControls(id === undefined ? status : `${id}: ${status}`));
      return;
    }
    // Fetching and unpacking a layer are counted apart, as halves of it.
    const unpacking = status === 'Extracting';
    const { current = 0, total } = progressDetail;
    this.#layers.set(id, { current: (unpacking ? total + current : current) / 2, total });
    let done = 0;
    let all = 0;
    for (const layer of this.#layers.values()) {
      done += layer.current;
      all += layer.total;
    }
    this.#within = all === 0 ? 0 : Math.min(done / all, 1);
  }

  #keep(line: string): void {
    for (const part of line.split('\n')) this.#lines.push(part.slice(0, LINE_LENGTH));
    this.#lines.splice(0, Math.max(0, this.#lines.length - KEPT_LINES));
  }
}

/** A line without terminal colours and other control characters. */
function withoutControls(line: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  return line.replace(/\u001B\[[0-9;?]*[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '');
}
