import { randomUUID } from 'node:crypto';
import type { Outbound } from '#main/network/index.ts';
import type { ConnectFlow } from '#shared/connections/connection.ts';
import { RedirectReceiver } from './redirect-receiver.ts';
import { SignIn, type SignInRequest } from './sign-in.ts';

/** Ended sign-ins that are still shown. */
const SHOWN_ENDED = 20;

export interface SignInsOptions {
  readonly outbound: Outbound;
  /** Milliseconds the author has in the browser. */
  readonly browserMs: number;
  /** Told when a sign-in has begun, gone on or ended. */
  readonly onChange: () => void;
}

/** The sign-ins that are under way, one for a method or connection, and the last that have ended. */
export class SignIns implements AsyncDisposable {
  readonly #options: SignInsOptions;
  readonly #receiver = new RedirectReceiver();
  readonly #signIns = new Map<string, SignIn>();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** In the order in which they began. */
  flows(): ConnectFlow[] {
    return [...this.#signIns.values()].map(({ flow }) => flow);
  }

  /** Begins one, and cancels the one it takes the place of. @throws ProblemError as {@link SignIn.start}. */
  async start(request: SignInRequest): Promise<ConnectFlow> {
    this.#supersede(request);
    const signIn = await SignIn.start(randomUUID(), request, { ...this.#options, receiver: this.#receiver });
    this.#signIns.set(signIn.flow.id, signIn);
    this.#forgetEnded();
    this.#options.onChange();
    return signIn.flow;
  }

  /** Gives one up; nothing when it has ended or never was. */
  cancel(flowId: string): void {
    this.#signIns.get(flowId)?.cancel();
  }

  /**
   * Takes what a browser brought back by the app's scheme, or a person typed in.
   * @throws ProblemError `redirect_unknown`
   */
  async receiveRedirect(address: string): Promise<void> {
    await this.#receiver.receive(address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const signIn of this.#signIns.values()) signIn[Symbol.dispose]();
    await this.#receiver[Symbol.asyncDispose]();
  }

  /** Beginning anew is how a person cancels a sign-in that went astray. */
  #supersede({ integrationId, authKey, connectionId }: SignInRequest): void {
    for (const signIn of this.#signIns.values()) {
      const { flow } = signIn;
      const isSame =
        flow.integrationId === integrationId &&
        flow.authKey === authKey &&
        flow.connectionId === connectionId;
      if (isSame && !signIn.isOver) signIn.cancel();
    }
  }

  #forgetEnded(): void {
    const ended = [...this.#signIns.values()].filter(({ isOver }) => isOver);
    for (const { flow } of ended.slice(0, Math.max(0, ended.length - SHOWN_ENDED))) {
      this.#signIns.delete(flow.id);
    }
  }
}
