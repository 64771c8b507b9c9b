import type { Step } from './report.ts';
import { rewardEvent, type SampleEvent, type SampleOptions } from './samples.ts';
import type { Answer, OutgoingRequest, Pace, Send, Sign, SigningSecrets } from './transport.ts';

/** How a request differs from a genuine, first delivery of now. */
export type Variation = {
  deliveryId?: string;
  attempt?: number;
  /** Added to the clock, in seconds. */
  seconds?: number;
  /** Default: the secrets that the receiver has. */
  signing?: SigningSecrets;
  /** The text that is signed and sent, instead of the event as JSON. */
  text?: string;
  /** Changes the request after it was signed. */
  alter?: (request: OutgoingRequest) => OutgoingRequest;
  pace?: Pace;
  /** Not sent again when a connection that was idle breaks. Default false. */
  once?: boolean;
};

/** A request that was sent, with its answer. */
export type Posted = { step: Step; answer: Answer };

/** Posts events and counts the time limits that were reached. */
export type Poster = {
  post: (event: SampleEvent, variation?: Variation) => Promise<Posted>;
  postReward: (
    type: 'reward.issue' | 'reward.revoke',
    rewardId: string,
    sample: SampleOptions,
    variation?: Variation,
  ) => Promise<Posted>;
  timeouts: () => number;
  /** Answers that took longer than {@link slowMs}. */
  slowAnswers: () => number;
};

/** Who signs and sends, and the secrets that the receiver has. */
export type PosterOptions = { send: Send; sign: Sign; signing: SigningSecrets };

/** An answer after this time is slow. */
export const slowMs = 5_000;

/** Characters of a response that the report keeps. */
const keptResponse = 300;

/** Opens the poster of one run. The signal ends its requests. */
export function openPoster({ send, sign, signing: usual }: PosterOptions, signal?: AbortSignal): Poster {
  let timeouts = 0;
  let slowAnswers = 0;

  async function post(event: SampleEvent, variation: Variation = {}): Promise<Posted> {
    const { deliveryId = crypto.randomUUID(), attempt = 1, seconds = 0, signing = usual } = variation;
    const { text = JSON.stringify(event), alter, pace, once = false } = variation;
    const body = new TextEncoder().encode(text);
    const timestampSeconds = Math.floor(Date.now() / 1000) + seconds;
    const headers = sign({ eventType: event.type, deliveryId, attempt, body, timestampSeconds, signing });
    // A signal for each request, so that its listeners do not add up.
    const genuine: OutgoingRequest = {
      headers,
      body,
      ...(pace && { pace }),
      ...(signal && { signal: AbortSignal.any([signal]) }),
    };
    const request = alter ? alter(genuine) : genuine;
    let answer = await send(request);
    // The server may have closed the idle connection at this moment.
    if (answer.result === 'error' && answer.errorClass === 'reset' && answer.connectionReused && !once) {
      answer = await send(request);
    }
    if (answer.result === 'error' && answer.errorClass === 'timeout') timeouts += 1;
    if (answer.result === 'response' && answer.timings.totalMs > slowMs) slowAnswers += 1;
    return { step: stepOf(event, deliveryId, answer), answer };
  }

  return {
    post,
    postReward: (type, rewardId, sample, variation) => post(rewardEvent(type, rewardId, sample), variation),
    timeouts: () => timeouts,
    slowAnswers: () => slowAnswers,
  };
}

function stepOf(event: SampleEvent, deliveryId: string, answer: Answer): Step {
  return {
    event_type: event.type,
    delivery_id: deliveryId,
    event_id: event.id,
    status: answer.result === 'response' ? answer.status : null,
    ms: Math.round(answer.timings.totalMs),
    error: answer.result === 'error' ? `${answer.errorClass}: ${answer.message}` : null,
    response: (answer.result === 'response' ? answer.responseBody : '').slice(0, keptResponse),
  };
}
