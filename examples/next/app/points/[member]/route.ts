import { points } from '../../points';

export async function GET(
  _request: Request,
  { params }: { params: Promise<{ member: string }> },
): Promise<Response> {
  const { member } = await params;
  return Response.json({ points: points.get(member) ?? 0 });
}
