import type Docker from 'dockerode';
import { ownerLabels, type Maker } from '../labels.ts';
import type { EngineCalls } from './engine-calls.ts';
import { engineMessage, statusOf } from './problems.ts';

/** What a container without a network is connected to. */
const NO_NETWORK = 'none';

/**
 * The network by which sidecars reach services: one for all runs of an app instance, made when it is first
 * needed. The sidecars in it cannot reach each other.
 */
export class EgressNetwork {
  readonly #docker: Docker;
  readonly #calls: EngineCalls;
  readonly #maker: Maker;
  readonly #name: string;
  #making: Promise<void> | undefined;

  constructor(docker: Docker, calls: EngineCalls, maker: Maker) {
    this.#docker = docker;
    this.#calls = calls;
    this.#maker = maker;
    this.#name = `slipway-egress-${maker.instanceId}`;
  }

  /** The network's name, once it is there. */
  async ensure(signal: AbortSignal): Promise<string> {
    this.#making ??= this.#make();
    const making = this.#making;
    making.catch(() => (this.#making = undefined));
    // Shared by all that need it, so that one that gives up does not end it for the others.
    await this.#calls.make('make a network', making, signal);
    return this.#name;
  }

  /** Takes a running container from no network into this one. Safe to repeat. */
  async connect(containerId: string, signal: AbortSignal): Promise<void> {
    await this.#leaveNone(containerId, signal);
    for (let isRetry = false; ; isRetry = true) {
      const name = await this.ensure(signal);
      try {
        const connecting = this.#docker.getNetwork(name).connect({ Container: containerId });
        await this.#calls.make('connect a sidecar', connecting, signal);
        return;
      } catch (error) {
        // It is there already, or the network was pruned since it was made.
        if (statusOf(error) === 403) return;
        if (statusOf(error) !== 404 || isRetry) throw error;
        this.#making = undefined;
      }
    }
  }

  /** Removes the network where it was made; one that is still in use is left to the reaper. */
  async remove(): Promise<void> {
    if (this.#making === undefined) return;
    await this.#making.catch(() => undefined);
    this.#making = undefined;
    await this.#docker
      .getNetwork(this.#name)
      .remove()
      .catch(() => undefined);
  }

  async #make(): Promise<void> {
    await this.#docker.createNetwork({
      Name: this.#name,
      Driver: 'bridge',
      CheckDuplicate: true,
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      Labels: ownerLabels(this.#maker, { runId: 'all' }),
    });
  }

  async #leaveNone(containerId: string, signal: AbortSignal): Promise<void> {
    const leaving = this.#docker.getNetwork(NO_NETWORK).disconnect({ Container: containerId });
    await this.#calls.make('connect a sidecar', leaving, signal).catch((error: unknown) => {
      // It is in a network by now. Engines tell it by their words alone, under the status of a fault.
      if (!/is not connected to/i.test(engineMessage(error))) throw error;
    });
  }
}
