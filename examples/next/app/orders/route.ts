import { createClient, RewardhookError, type OrderInput } from '@rewardhook/node';
import { env } from '../env';

export async function POST(request: Request): Promise<Response> {
  const rewardhook = createClient({
    secretKey: env('REWARDHOOK_SECRET_KEY'),
    apiUrl: env('REWARDHOOK_BASE_URL'),
  });
  try {
    const sent = await rewardhook.orders.send([(await request.json()) as OrderInput]);
    return Response.json({ accepted: sent.accepted_count }, { status: 202 });
  } catch (error) {
    if (!(error instanceof RewardhookError) || error.code !== 'invalid_request') throw error;
    return Response.json({ errors: error.params }, { status: 400 });
  }
}
