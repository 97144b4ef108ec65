import type {
  MainEvent,
  RunEvent,
  RunEventData,
  SandboxEvent,
  ShownContent,
  SidecarEvent,
  ToolSource,
} from '../events/run-event.ts';
import { NO_USAGE, type Usage } from '../models/model.ts';
import type { Problem } from '../problem.ts';
import { isFinalStatus, type RunInputFile, type RunPhase, type RunStatus } from './run.ts';

/** Paths under `outputs/` the view follows as they are written; kept and skipped files always count. */
const MAX_FOLLOWED_FILES = 1000;

type EventOf<K extends RunEventData['type']> = Extract<RunEventData, { type: K }>;

interface ItemBase {
  /** Sequence number of the event that made the item; unique and stable within a run. */
  readonly key: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface TurnItem extends ItemBase {
  readonly kind: 'turn';
  readonly turn: number;
  /** What the turn took, once it has ended. */
  readonly metrics: Omit<EventOf<'turn.ended'>, 'type' | 'turn'> | undefined;
}

/** Assistant text. It is shown, never delivered. */
export interface MessageItem extends ItemBase {
  readonly kind: 'message';
  readonly turn: number;
  readonly text: string;
  readonly thinking: string;
  readonly streaming: boolean;
  readonly stopReason: string | undefined;
  readonly errorMessage: string | undefined;
}

export interface CallResult {
  readonly content: readonly ShownContent[];
  /** Whether `content` was cut for display. */
  readonly truncated: boolean;
  /** Bytes of the whole result as the model saw it. */
  readonly bytes: number;
  readonly estimatedTokens: number;
  readonly durationMs: number;
}

export interface CallItem extends ItemBase {
  readonly kind: 'call';
  readonly turn: number | undefined;
  readonly callId: string;
  readonly tool: string;
  readonly source: ToolSource;
  readonly arguments: unknown;
  /** `interrupted` when the run ended before the call did. */
  readonly state: 'running' | 'succeeded' | 'failed' | 'interrupted';
  /** The newest word of a call that has not ended. */
  readonly progress: string | undefined;
  readonly result: CallResult | undefined;
}

/** A result that went to a file instead of into the conversation. */
export interface ResourceView extends Omit<EventOf<'resource.spilled'>, 'type'> {
  /** Whether it can be opened. */
  readonly isKept: boolean;
  /** Why it was not kept. */
  readonly problem?: Problem;
}

export interface LogItem extends ItemBase {
  readonly kind: 'log';
  readonly level: EventOf<'log.written'>['level'];
  readonly message: string;
}

export interface OutputItem extends ItemBase {
  readonly kind: 'output';
  readonly data: unknown;
  /** A later call replaced it: the last one wins. */
  readonly superseded: boolean;
}

export interface NudgeItem extends ItemBase, Omit<EventOf<'run.nudged'>, 'type'> {
  readonly kind: 'nudge';
}
export interface RetryItem extends ItemBase, Omit<EventOf<'model.retried'>, 'type'> {
  readonly kind: 'retry';
}
export interface CompactionItem extends ItemBase, Omit<EventOf<'context.compacted'>, 'type'> {
  readonly kind: 'compaction';
}
export interface WarningItem extends ItemBase {
  readonly kind: 'warning';
  readonly problem: Problem;
}
export interface EndItem extends ItemBase {
  readonly kind: 'end';
  readonly status: RunStatus;
  readonly problem: Problem | undefined;
  readonly durationMs: number;
}

/** One entry of the timeline, in the order things happened. */
export type TimelineItem =
  | TurnItem
  | MessageItem
  | CallItem
  | LogItem
  | OutputItem
  | NudgeItem
  | RetryItem
  | CompactionItem
  | WarningItem
  | EndItem;

export interface PhaseView {
  readonly phase: RunPhase;
  /** `stopped` when the run ended inside it. */
  readonly state: 'running' | 'done' | 'stopped';
  readonly startedAt: number;
  readonly durationMs: number | undefined;
  readonly detail: string | undefined;
  /** 0 to 1, where the phase can tell. */
  readonly fraction: number | undefined;
}

export interface FileView {
  /** Path relative to `outputs/`. */
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly mediaType: string | undefined;
  /** Hash of the copy that is kept with the run; absent while there is none to open. */
  readonly sha256: string | undefined;
  /** Reported as written since it was last kept. */
  readonly changing: boolean;
  /** Why it is not kept. */
  readonly problem: Problem | undefined;
}

/** One time that the run read of its agent's memory, or wrote to it. */
export interface MemoryTouch extends ItemBase {
  readonly event: EventOf<'memory.prompted' | 'memory.recalled' | 'memory.added' | 'pinned.set'>;
}

/** Everything a run's events say, as the run view shows it. */
export interface RunProjection {
  /** All events up to this one are in the model. */
  readonly lastSequence: number;
  /** Set when an event came whose predecessors are missing; it and what follows was not taken. */
  readonly gap: { readonly after: number; readonly next: number } | undefined;
  readonly status: RunStatus;
  readonly agent: { readonly id: string; readonly version: string; readonly name: string } | undefined;
  /** `provider/model`. */
  readonly model: string | undefined;
  readonly inputFiles: readonly RunInputFile[];
  readonly queuedAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly durationMs: number | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly phases: readonly PhaseView[];
  readonly tools: EventOf<'run.started'>['tools'];
  readonly timeline: readonly TimelineItem[];
  readonly context:
    { readonly tokens: number; readonly window: number; readonly peakTokens: number } | undefined;
  readonly files: ReadonlyMap<string, FileView>;
  /** The file that the agent said is the main one. */
  readonly primaryFile: string | undefined;
  /** What the run read and wrote of its agent's memory, in order. */
  readonly memory: readonly MemoryTouch[];
  /** Results that went to files, by their path in the workspace. */
  readonly resources: ReadonlyMap<string, ResourceView>;
  /** Files that were written but are not followed one by one. */
  readonly omittedFiles: { readonly count: number; readonly atLeast: boolean } | undefined;
  readonly output: { readonly data: unknown; readonly at: number } | undefined;
  readonly usage: Usage;
  readonly problem: Problem | undefined;
  readonly positions: Positions;
}

/** Where in the timeline the items are that later events change. Items never move. */
interface Positions {
  readonly calls: ReadonlyMap<string, number>;
  readonly turns: ReadonlyMap<number, number>;
  /** Messages that still grow, by turn. */
  readonly messages: ReadonlyMap<number, number>;
  readonly output: number | undefined;
}

/** A run of which nothing is known yet. */
export const EMPTY_PROJECTION: RunProjection = {
  lastSequence: 0,
  gap: undefined,
  status: 'queued',
  agent: undefined,
  model: undefined,
  inputFiles: [],
  queuedAt: undefined,
  startedAt: undefined,
  endedAt: undefined,
  durationMs: undefined,
  timeoutSeconds: undefined,
  phases: [],
  tools: [],
  timeline: [],
  context: undefined,
  files: new Map(),
  primaryFile: undefined,
  memory: [],
  resources: new Map(),
  omittedFiles: undefined,
  output: undefined,
  usage: NO_USAGE,
  problem: undefined,
  positions: { calls: new Map(), turns: new Map(), messages: new Map(), output: undefined },
};

/**
 * The model after more events. Pure: `previous` stays as it was, and every part that the events did not
 * touch is the same object. Events already taken are skipped; events after a gap are left out, and the
 * model says so, until the missing ones are given.
 */
export function projectEvents(previous: RunProjection, events: readonly RunEvent[]): RunProjection {
  const draft = new Draft(previous);
  for (const event of events) {
    const expected = draft.model.lastSequence + 1;
    if (event.sequence < expected) continue;
    if (event.sequence > expected) {
      draft.model.gap = { after: expected - 1, next: event.sequence };
      break;
    }
    draft.model.lastSequence = event.sequence;
    draft.model.gap = undefined;
    apply(draft, event);
  }
  return draft.finish(previous);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A copy of the model whose collections are copied when they are first written to. */
class Draft {
  readonly model: Mutable<RunProjection>;
  #timeline: TimelineItem[] | undefined;
  #files: Map<string, FileView> | undefined;
  #resources: Map<string, ResourceView> | undefined;
  #calls: Map<string, number> | undefined;
  #turns: Map<number, number> | undefined;
  #messages: Map<number, number> | undefined;

  constructor(previous: RunProjection) {
    this.model = { ...previous };
  }

  /** Appends an item and tells its position. */
  append(item: TimelineItem): number {
    return this.#ownTimeline().push(item) - 1;
  }

  /** Changes the item at a position, when there is one of that kind. */
  change<K extends TimelineItem['kind']>(
    position: number | undefined,
    kind: K,
    update: (item: Extract<TimelineItem, { kind: K }>) => TimelineItem,
  ): boolean {
    if (position === undefined) return false;
    const item = this.model.timeline[position];
    if (item?.kind !== kind) return false;
    // The comparison above is what makes the item one of that kind.
    this.#ownTimeline()[position] = update(item as Extract<TimelineItem, { kind: K }>);
    return true;
  }

  resources(): Map<string, ResourceView> {
    this.#resources ??= new Map(this.model.resources);
    this.model.resources = this.#resources;
    return this.#resources;
  }

  files(): Map<string, FileView> {
    this.#files ??= new Map(this.model.files);
    this.model.files = this.#files;
    return this.#files;
  }

  calls(): Map<string, number> {
    this.#calls ??= new Map(this.model.positions.calls);
    return this.#position('calls', this.#calls);
  }

  turns(): Map<number, number> {
    this.#turns ??= new Map(this.model.positions.turns);
    return this.#position('turns', this.#turns);
  }

  messages(): Map<number, number> {
    this.#messages ??= new Map(this.model.positions.messages);
    return this.#position('messages', this.#messages);
  }

  outputPosition(position: number): void {
    this.model.positions = { ...this.model.positions, output: position };
  }

  /** The model; the very same object when no event changed anything. */
  finish(previous: RunProjection): RunProjection {
    const sameGap =
      this.model.gap?.after === previous.gap?.after && this.model.gap?.next === previous.gap?.next;
    return this.model.lastSequence === previous.lastSequence && sameGap ? previous : this.model;
  }

  #ownTimeline(): TimelineItem[] {
    this.#timeline ??= [...this.model.timeline];
    this.model.timeline = this.#timeline;
    return this.#timeline;
  }

  #position<M>(name: keyof Positions, map: M): M {
    if (this.model.positions[name] !== map) this.model.positions = { ...this.model.positions, [name]: map };
    return map;
  }
}

function apply(draft: Draft, event: RunEvent): void {
  const base: ItemBase = { key: event.sequence, at: event.at };
  const { data } = event;
  switch (data.type) {
    case 'turn.started':
    case 'message.delta':
    case 'message.ended':
    case 'tool.started':
    case 'tool.progress':
    case 'tool.ended':
    case 'turn.ended':
    case 'context.compacted':
    case 'model.retried':
    case 'file.written':
    case 'file.removed':
    case 'files.omitted':
    case 'resource.spilled':
      applySandboxEvent(draft, base, data);
      break;
    case 'log.written':
    case 'output.emitted':
      applySidecarEvent(draft, base, data);
      break;
    default:
      applyMainEvent(draft, base, data);
  }
}

function applySandboxEvent(draft: Draft, base: ItemBase, data: SandboxEvent): void {
  const { model } = draft;
  switch (data.type) {
    case 'turn.started':
      draft
        .turns()
        .set(data.turn, draft.append({ ...base, kind: 'turn', turn: data.turn, metrics: undefined }));
      break;
    case 'message.delta': {
      const grown = draft.change(model.positions.messages.get(data.turn), 'message', (message) => ({
        ...message,
        [data.channel]: message[data.channel] + data.text,
      }));
      if (grown) break;
      const message = { ...emptyMessage(base, data.turn), streaming: true, [data.channel]: data.text };
      draft.messages().set(data.turn, draft.append(message));
      break;
    }
    case 'message.ended': {
      const { turn, text, thinking, stopReason, errorMessage } = data;
      const ended = { text, stopReason, errorMessage, streaming: false };
      const finish = (message: MessageItem): MessageItem => ({
        ...message,
        ...ended,
        thinking: thinking ?? message.thinking,
      });
      const changed = draft.change(model.positions.messages.get(turn), 'message', finish);
      if (changed) draft.messages().delete(turn);
      else if (text || thinking || errorMessage) draft.append(finish(emptyMessage(base, turn)));
      break;
    }
    case 'tool.started': {
      const { turn, callId, tool, source } = data;
      const call: CallItem = { ...emptyCall(base), turn, callId, tool, source, arguments: data.arguments };
      draft.calls().set(callId, draft.append(call));
      break;
    }
    case 'tool.progress':
      draft.change(model.positions.calls.get(data.callId), 'call', (call) =>
        call.state === 'running' ? { ...call, progress: data.text } : call,
      );
      break;
    case 'tool.ended': {
      const { callId, tool, isError, content, truncated, bytes, estimatedTokens, durationMs } = data;
      const finish = (call: CallItem): CallItem => ({
        ...call,
        state: isError ? 'failed' : 'succeeded',
        progress: undefined,
        result: { content, truncated, bytes, estimatedTokens, durationMs },
      });
      const changed = draft.change(model.positions.calls.get(callId), 'call', finish);
      if (!changed) draft.calls().set(callId, draft.append(finish({ ...emptyCall(base), callId, tool })));
      break;
    }
    case 'turn.ended': {
      const { type: _type, turn, ...metrics } = data;
      draft.change(model.positions.turns.get(turn), 'turn', (item) => ({ ...item, metrics }));
      const peakTokens = Math.max(model.context?.peakTokens ?? 0, metrics.contextTokens);
      model.context = { tokens: metrics.contextTokens, window: metrics.contextWindow, peakTokens };
      break;
    }
    case 'context.compacted': {
      const { type: _type, ...rest } = data;
      draft.append({ ...base, ...rest, kind: 'compaction' });
      break;
    }
    case 'model.retried': {
      const { type: _type, ...rest } = data;
      draft.append({ ...base, ...rest, kind: 'retry' });
      break;
    }
    case 'resource.spilled': {
      // The sandbox's word alone makes these: it must not fill the view's memory.
      if (model.resources.size >= MAX_FOLLOWED_FILES && !model.resources.has(data.path)) break;
      const { type: _type, ...resource } = data;
      draft.resources().set(data.path, { ...resource, isKept: false });
      break;
    }
    case 'file.written': {
      const known = model.files.get(data.path);
      if (!known && model.files.size >= MAX_FOLLOWED_FILES) {
        model.omittedFiles ??= { count: 1, atLeast: true };
        break;
      }
      const { path, size, modifiedAt } = data;
      draft.files().set(path, { ...(known ?? emptyFile(path)), size, modifiedAt, changing: true });
      break;
    }
    case 'file.removed':
      if (model.files.has(data.path)) draft.files().delete(data.path);
      break;
    case 'files.omitted':
      model.omittedFiles = { count: data.count, atLeast: data.atLeast };
      break;
  }
}

/** A call's progress is told of by both programs, and taken with the other events of calls. */
function applySidecarEvent(
  draft: Draft,
  base: ItemBase,
  data: Exclude<SidecarEvent, { type: 'tool.progress' }>,
): void {
  switch (data.type) {
    case 'log.written':
      draft.append({ ...base, kind: 'log', level: data.level, message: data.message });
      break;
    case 'output.emitted':
      draft.change(draft.model.positions.output, 'output', (item) => ({ ...item, superseded: true }));
      draft.outputPosition(draft.append({ ...base, kind: 'output', data: data.data, superseded: false }));
      draft.model.output = { data: data.data, at: base.at };
      break;
  }
}

function applyMainEvent(draft: Draft, base: ItemBase, data: MainEvent): void {
  const { model } = draft;
  switch (data.type) {
    case 'run.queued':
      model.queuedAt = base.at;
      model.agent = { id: data.agentId, version: data.agentVersion, name: data.agentName };
      model.model = data.model;
      model.inputFiles = data.inputFiles;
      break;
    case 'phase.started': {
      if (model.status === 'queued') model.status = 'preparing';
      const started: PhaseView = {
        phase: data.phase,
        state: 'running',
        startedAt: base.at,
        durationMs: undefined,
        detail: data.detail,
        fraction: undefined,
      };
      model.phases = [...model.phases.filter((phase) => phase.phase !== data.phase), started];
      break;
    }
    case 'phase.progress':
      changePhase(model, data.phase, { detail: data.detail, fraction: data.fraction });
      break;
    case 'phase.ended':
      changePhase(model, data.phase, { state: 'done', durationMs: data.durationMs, fraction: undefined });
      break;
    case 'run.started':
      if (!isFinalStatus(model.status)) model.status = 'running';
      model.startedAt = base.at;
      model.timeoutSeconds = data.timeoutSeconds;
      model.tools = data.tools;
      break;
    case 'resource.kept': {
      const known = model.resources.get(data.path);
      if (known) draft.resources().set(data.path, { ...known, size: data.size, isKept: true });
      break;
    }
    case 'resource.skipped': {
      const known = model.resources.get(data.path);
      if (known) draft.resources().set(data.path, { ...known, problem: data.problem });
      break;
    }
    case 'usage.updated':
      model.usage = data.usage;
      break;
    case 'file.kept': {
      const { path, size, mediaType, sha256 } = data;
      const known = model.files.get(path) ?? { ...emptyFile(path), modifiedAt: base.at };
      draft.files().set(path, { ...known, size, mediaType, sha256, changing: false, problem: undefined });
      break;
    }
    case 'file.skipped': {
      const known = model.files.get(data.path) ?? { ...emptyFile(data.path), modifiedAt: base.at };
      draft.files().set(data.path, { ...known, sha256: undefined, changing: false, problem: data.problem });
      break;
    }
    case 'file.published':
      if (data.isPrimary) model.primaryFile = data.path;
      break;
    case 'memory.prompted':
    case 'memory.recalled':
    case 'memory.added':
    case 'pinned.set':
      model.memory = [...model.memory, { ...base, event: data }];
      break;
    case 'run.nudged':
      draft.append({ ...base, kind: 'nudge', reason: data.reason, detail: data.detail });
      break;
    case 'run.warned':
      draft.append({ ...base, kind: 'warning', problem: data.problem });
      break;
    case 'run.ended':
      endRun(draft, base, data);
      break;
  }
}

function endRun(draft: Draft, base: ItemBase, data: EventOf<'run.ended'>): void {
  const { model } = draft;
  for (const position of model.positions.calls.values()) {
    draft.change(position, 'call', (call) =>
      call.state === 'running' ? { ...call, state: 'interrupted', progress: undefined } : call,
    );
  }
  for (const position of model.positions.messages.values())
    draft.change(position, 'message', (message) => ({ ...message, streaming: false }));
  if (model.positions.messages.size > 0) draft.messages().clear();
  if (model.phases.some((phase) => phase.state === 'running')) {
    model.phases = model.phases.map((phase) =>
      phase.state === 'running'
        ? { ...phase, state: 'stopped', durationMs: Math.max(0, base.at - phase.startedAt) }
        : phase,
    );
  }
  model.status = data.status;
  model.problem = data.problem;
  model.usage = data.usage;
  model.durationMs = data.durationMs;
  model.endedAt = base.at;
  const { status, problem, durationMs } = data;
  draft.append({ ...base, kind: 'end', status, problem, durationMs });
}

function changePhase(model: Mutable<RunProjection>, phase: RunPhase, change: Partial<PhaseView>): void {
  model.phases = model.phases.map((known) => (known.phase === phase ? { ...known, ...change } : known));
}

function emptyMessage(base: ItemBase, turn: number): MessageItem {
  return {
    ...base,
    kind: 'message',
    turn,
    text: '',
    thinking: '',
    streaming: false,
    stopReason: undefined,
    errorMessage: undefined,
  };
}

/** A call of which only the end is known says nothing of its arguments or source. */
function emptyCall(base: ItemBase): CallItem {
  return {
    ...base,
    kind: 'call',
    turn: undefined,
    callId: '',
    tool: '',
    source: 'other',
    arguments: undefined,
    state: 'running',
    progress: undefined,
    result: undefined,
  };
}

function emptyFile(path: string): FileView {
  return {
    path,
    size: 0,
    modifiedAt: 0,
    mediaType: undefined,
    sha256: undefined,
    changing: false,
    problem: undefined,
  };
}
