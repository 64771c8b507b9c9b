import { Agent, request } from 'node:http';

/** What the clients saw. */
export interface ClientsReport {
  /** Number of answers by status. */
  answers: Record<number, number>;
  /** Answers with `Connection: close`. */
  closing: number;
  /** Connections that were refused: nothing was sent on them. */
  refused: number;
  /** Answers with 5xx. */
  unavailable: string[];
  /** Requests that failed after their connection was established, with the error. */
  failures: string[];
}

/** Clients that send requests one after the other, each on its own keep-alive connection. */
export interface KeepAliveClients {
  report: ClientsReport;
  /** Ends the clients after their current requests. */
  stop(): Promise<ClientsReport>;
}

/** Starts `count` clients. Each waits `pauseMs` milliseconds between two requests. */
export function startKeepAliveClients(options: {
  url: string;
  count: number;
  pauseMs: number;
  headers: Record<string, string>;
  body: () => string;
}): KeepAliveClients {
  const report: ClientsReport = { answers: {}, closing: 0, refused: 0, unavailable: [], failures: [] };
  const stopping = new AbortController();
  const runClient = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopping.signal.aborted) {
      await send(agent, options, report);
      await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
    }
    agent.destroy();
  };
  const clients = Array.from({ length: options.count }, runClient);
  return {
    report,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      return report;
    },
  };
}

function send(
  agent: Agent,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: () => string },
  report: ClientsReport,
): Promise<void> {
  return new Promise((resolve) => {
    const text = body();
    const sent = request(
      url,
      {
        agent,
        method: text === '' ? 'GET' : 'POST',
        headers: { ...headers, ...(text === '' ? {} : { 'content-length': Buffer.byteLength(text) }) },
      },
      (response) => {
        const status = response.statusCode ?? 0;
        let received = '';
        response
          .on('data', (chunk: Buffer) => (received += chunk.toString()))
          .once('end', () => {
            if (status >= 500) report.unavailable.push(`${status} ${received}`);
            report.answers[status] = (report.answers[status] ?? 0) + 1;
            if (response.headers.connection === 'close') report.closing += 1;
            resolve();
          })
          .once('error', onError);
      },
    );
    const onError = (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') report.refused += 1;
      else report.failures.push(`${error.code ?? ''} ${error.message}`);
      resolve();
    };
    sent.once('error', onError).end(text);
  });
}
