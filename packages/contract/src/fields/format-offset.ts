/** Writes a UTC offset given in seconds as `+09:00`; with seconds (`+08:27:52`) only where a zone of old has them. */
export function formatOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const hours = twoDigits(Math.floor(size / 3600));
  const minutes = twoDigits(Math.floor(size / 60) % 60);
  const rest = size % 60;
  return `${seconds < 0 ? '-' : '+'}${hours}:${minutes}${rest === 0 ? '' : `:${twoDigits(rest)}`}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
