import { isDeepStrictEqual } from 'node:util';
import type { Conversation } from './conversation.ts';
import type { Script, ScriptContext, Turn } from './turn.ts';

/**
 * The next turn of a script in a conversation: the script is run from its beginning with the results the
 * conversation holds, up to the turn that is not in it yet. So the answer depends on the request alone.
 */
export function nextTurn(script: Script, conversation: Conversation): Turn {
  const used = new Set(conversation.exchanges.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  const context: ScriptContext = {
    task: conversation.task,
    // A later request may offer fewer tools; what was used before was there.
    hasTool: (name) => conversation.tools.has(name) || used.has(name),
    schemaOf: (name) => conversation.tools.get(name),
  };
  const running = script(context);
  let step = running.next();
  for (const exchange of conversation.exchanges) {
    if (step.done || !isSame(step.value, exchange)) {
      return {
        text: 'This conversation has left the script of the walkthrough, so it ends here. A real model would go on.',
        calls: [],
      };
    }
    step = running.next(exchange.calls.map(({ result }) => result));
  }
  return step.done ? { text: step.value, calls: [] } : step.value;
}

function isSame(turn: Turn, { calls }: Conversation['exchanges'][number]): boolean {
  return (
    turn.calls.length === calls.length &&
    turn.calls.every(
      (scripted, index) =>
        scripted.tool === calls[index]?.tool && isDeepStrictEqual(scripted.arguments, calls[index].arguments),
    )
  );
}
