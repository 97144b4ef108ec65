import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent';
import type { SandboxEvent, ShownContent, ToolSource } from '#shared/events/run-event.ts';
import { estimateTokens } from '#shared/tools/token-estimate.ts';
import { cutText, utf8Length } from '#shared/text/cut-text.ts';
import { boundValue, cutWithMark } from './bound-value.ts';
import { decodedLength } from './mcp-content.ts';
import { mcpDetailsSchema } from './mcp-tools.ts';

/** Bytes of one message's text, and of its thinking, that are reported. No model writes more at a time. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** Bytes of a tool's interim output that are reported: its end, as a terminal would show it. */
const MAX_PROGRESS_BYTES = 2 * 1024;
const MAX_DETAIL_BYTES = 1024;
/** What an image counts for; providers differ, and this is about the middle. */
const TOKENS_PER_IMAGE = 1200;

type PiEvent<Type extends AgentSessionEvent['type']> = Extract<AgentSessionEvent, { type: Type }>;
type PiMessage = PiEvent<'message_end'>['message'];
type AssistantMessage = Extract<PiMessage, { role: 'assistant' }>;

export interface TranslatorOptions {
  readonly sourceOf: (tool: string) => ToolSource;
  readonly contextWindow: number;
  /** Bytes of a tool's arguments, and of its result, that an event may carry. */
  readonly shownResultBytes: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** Turns Pi's events to ours, bounded for display. Turns are counted over the whole run. */
export class EventTranslator {
  readonly #options: TranslatorOptions;
  readonly #toolStarts = new Map<string, number>();
  #turn = 0;
  #turnStart = 0;
  #streamedBytes = { text: 0, thinking: 0 };
  #lastMessage: AssistantMessage | undefined;

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  /** Turns so far. */
  get turns(): number {
    return this.#turn;
  }

  /** How the newest message of the model ended. */
  get lastMessage(): { readonly stopReason: string; readonly errorMessage?: string } | undefined {
    return this.#lastMessage;
  }

  translate(event: AgentSessionEvent): SandboxEvent[] {
    switch (event.type) {
      case 'turn_start':
        this.#turn += 1;
        this.#turnStart = this.#options.now();
        this.#streamedBytes = { text: 0, thinking: 0 };
        return [{ type: 'turn.started', turn: this.#turn }];
      case 'message_update':
        return this.#delta(event);
      case 'message_end':
        return event.message.role === 'assistant' ? [this.#messageEnd(event.message)] : [];
      case 'tool_execution_start':
        return [this.#toolStart(event)];
      case 'tool_execution_update':
        return toolProgress(event);
      case 'tool_execution_end':
        return [this.#toolEnd(event)];
      case 'turn_end':
        return event.message.role === 'assistant' ? [this.#turnEnd(event.message)] : [];
      case 'compaction_end':
        return compaction(event);
      case 'auto_retry_start':
      case 'summarization_retry_scheduled':
        return [
          {
            type: 'model.retried',
            attempt: event.attempt,
            delayMs: event.delayMs,
            detail: cutWithMark(event.errorMessage, MAX_DETAIL_BYTES),
          },
        ];
      default:
        return [];
    }
  }

  #delta({ assistantMessageEvent: update }: PiEvent<'message_update'>): SandboxEvent[] {
    if (update.type !== 'text_delta' && update.type !== 'thinking_delta') return [];
    const channel = update.type === 'text_delta' ? 'text' : 'thinking';
    const left = MAX_MESSAGE_BYTES - this.#streamedBytes[channel];
    if (left <= 0 || update.delta === '') return [];
    const { text, bytes } = cutText(update.delta, left);
    this.#streamedBytes[channel] += bytes;
    return [{ type: 'message.delta', turn: this.#turn, channel, text }];
  }

  #messageEnd(message: AssistantMessage): SandboxEvent {
    this.#lastMessage = message;
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const thinking = message.content
      .map((block) => (block.type === 'thinking' ? block.thinking : ''))
      .join('');
    return {
      type: 'message.ended',
      turn: this.#turn,
      text: cutWithMark(text, MAX_MESSAGE_BYTES),
      ...(thinking !== '' && { thinking: cutWithMark(thinking, MAX_MESSAGE_BYTES) }),
      stopReason: message.stopReason,
      ...(message.errorMessage !== undefined && {
        errorMessage: cutWithMark(message.errorMessage, MAX_DETAIL_BYTES),
      }),
    };
  }

  #toolStart({ toolCallId, toolName, args }: PiEvent<'tool_execution_start'>): SandboxEvent {
    this.#toolStarts.set(toolCallId, this.#options.now());
    return {
      type: 'tool.started',
      turn: this.#turn,
      callId: toolCallId,
      tool: toolName,
      source: this.#options.sourceOf(toolName),
      arguments: boundValue(args, this.#options.shownResultBytes),
    };
  }

  #toolEnd({ toolCallId, toolName, result, isError }: PiEvent<'tool_execution_end'>): SandboxEvent {
    const now = this.#options.now();
    const startedAt = this.#toolStarts.get(toolCallId) ?? now;
    this.#toolStarts.delete(toolCallId);
    return {
      type: 'tool.ended',
      callId: toolCallId,
      tool: toolName,
      isError,
      ...showResult(result, this.#options.shownResultBytes),
      durationMs: now - startedAt,
    };
  }

  #turnEnd({ usage }: AssistantMessage): SandboxEvent {
    return {
      type: 'turn.ended',
      turn: this.#turn,
      contextTokens: count(usage.input + usage.output + usage.cacheRead + usage.cacheWrite),
      contextWindow: this.#options.contextWindow,
      inputTokens: count(usage.input),
      outputTokens: count(usage.output),
      cacheReadTokens: count(usage.cacheRead),
      cacheWriteTokens: count(usage.cacheWrite),
      durationMs: this.#options.now() - this.#turnStart,
    };
  }
}

/** What a provider counted, as a count: some answer nothing, or less than nothing. */
function count(tokens: number): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(0, Math.round(tokens)), Number.MAX_SAFE_INTEGER) : 0;
}

function toolProgress({ toolCallId, partialResult }: PiEvent<'tool_execution_update'>): SandboxEvent[] {
  const text = textsOf(partialResult).join('\n');
  if (text === '') return [];
  // The end is what is new; cut in bytes from the front by way of a generous number of units.
  const end = text.length > MAX_PROGRESS_BYTES ? text.slice(-MAX_PROGRESS_BYTES) : text;
  return [{ type: 'tool.progress', callId: toolCallId, text: end }];
}

function compaction(event: PiEvent<'compaction_end'>): SandboxEvent[] {
  if (event.result === undefined) return [];
  const { tokensBefore, estimatedTokensAfter } = event.result;
  return [
    {
      type: 'context.compacted',
      reason: event.reason,
      tokensBefore: count(tokensBefore),
      ...(estimatedTokensAfter !== undefined && { tokensAfter: count(estimatedTokensAfter) }),
    },
  ];
}

interface ShownResult {
  readonly content: ShownContent[];
  readonly truncated: boolean;
  readonly bytes: number;
  readonly estimatedTokens: number;
}

/** A result for display: its texts within `maxBytes` together, its images as what they are. */
export function showResult(result: unknown, maxBytes: number): ShownResult {
  const content: ShownContent[] = [];
  let left = maxBytes;
  let truncated = false;
  let bytes = 0;
  let estimatedTokens = 0;
  for (const block of blocksOf(result)) {
    if (block.type === 'text') {
      const cut = cutText(block.text, left);
      bytes += cut.bytes;
      estimatedTokens += estimateTokens(block.text);
      truncated ||= cut.isCut;
      if (cut.text !== '') content.push({ type: 'text', text: cut.text });
      left -= utf8Length(cut.text);
    } else {
      const size = decodedLength(block.data);
      bytes += size;
      estimatedTokens += TOKENS_PER_IMAGE;
      content.push({ type: 'image', mediaType: block.mimeType, bytes: size });
    }
  }
  for (const { uri, title } of resourcesOf(result)) {
    content.push({
      type: 'resource',
      uri: cutWithMark(uri, MAX_DETAIL_BYTES),
      ...(title !== undefined && { title: cutWithMark(title, MAX_DETAIL_BYTES) }),
    });
  }
  return { content, truncated, bytes, estimatedTokens };
}

type Block = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** The blocks of a result. Pi types it as anything, and a tool may leave the content out. */
function blocksOf(result: unknown): Block[] {
  const { content } = (result ?? {}) as { content?: unknown };
  if (!Array.isArray(content)) return [];
  return content.filter((block): block is Block => block?.type === 'text' || block?.type === 'image');
}

function textsOf(result: unknown): string[] {
  return blocksOf(result).flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function resourcesOf(result: unknown): { uri: string; title?: string | undefined }[] {
  const { details } = (result ?? {}) as { details?: unknown };
  return mcpDetailsSchema.safeParse(details).data?.resources ?? [];
}
