import type { ClaimedDigest, DigestNotice } from '@rewardhook/database/operations';
import { writeDigest } from './write-digest.ts';

const notice: DigestNotice = {
  id: 'ntc_1',
  type: 'endpoint.failing',
  endpointId: 'whk_1',
  data: {
    endpoint: { id: 'whk_1', url: 'https://user:pa55@shop.example:8443/hooks?token=s3cret#frag' },
    failing_since: '2026-11-21T03:52:00.000Z',
    failures_in_a_row: 12,
    disabled_at: '2026-11-26T03:52:00.000Z',
    reason: 'It answered 503.',
  },
  createdAt: new Date(),
  age: 0,
  attempt: 1,
};
const digest: ClaimedDigest = {
  merchantId: 'mer_1',
  merchantName: 'Tea shop',
  timezone: 'Asia/Seoul',
  contactEmail: 'tea@shop.example',
  notices: [notice],
};
/** Writes a digest of one notice, with changes to the notice and the merchant. */
const write = (
  consoleUrl?: string,
  changes: Partial<DigestNotice> = {},
  merchant: Partial<ClaimedDigest> = {},
) => writeDigest({ ...digest, ...merchant, notices: [{ ...notice, ...changes }] }, consoleUrl);

describe('The digest of notices', () => {
  it('names the problem in its subject, without any text of the merchant', () => {
    const subjects = (['endpoint.failing', 'endpoint.disabling_soon', 'endpoint.disabled'] as const).map(
      (type) => write(undefined, { type }).subject,
    );
    expect(subjects).toEqual([
      '[Rewardhook] 웹훅 전송 실패 / Webhook failing',
      '[Rewardhook] 웹훅이 곧 중지됩니다 / Webhook about to be disabled',
      '[Rewardhook] 웹훅 전송 중지됨 / Webhook disabled',
    ]);
  });

  it('describes several notices in one mail and gives the number of those it leaves out', () => {
    const notices = Array.from({ length: 23 }, (_, index) => ({ ...notice, endpointId: `whk_${index}` }));
    const { subject, text } = writeDigest({ ...digest, notices }, 'https://console.example');
    expect(subject).toBe('[Rewardhook] 웹훅 알림 23건 / 23 webhook notices');
    expect(text.match(/^Webhook: /gm)).toHaveLength(20);
    expect(text).toContain('There are 3 more notices');
    expect(text.match(/^Check that your server/gm)).toHaveLength(1);
  });

  it('gives start, cause and end of the failure and that nothing is lost, in Korean first', () => {
    const { text, html } = write('https://console.example/base/');
    for (const part of [
      'https://shop.example:8443/hooks (whk_1)',
      'Failing since: 2026-11-21 12:52 Asia/Seoul',
      'Will be disabled at: 2026-11-26 12:52 Asia/Seoul',
      'Last error: It answered 503.',
      'Nothing is lost',
      'https://console.example/base/webhooks/whk_1',
    ]) {
      expect(text).toContain(part);
    }
    expect(text.indexOf('사라지는 이벤트는 없습니다')).toBeGreaterThan(0);
    expect(text.indexOf('사라지는 이벤트는 없습니다')).toBeLessThan(text.indexOf('Nothing is lost'));
    expect(html).toContain('<a href="https://console.example/base/webhooks/whk_1">');
    expect(write().html).not.toContain('<a ');
  });

  it('contains no secret part of the URL', () => {
    const data = { ...notice.data, reason: `No answer from ${notice.data.endpoint.url} in time.` };
    const all = Object.values(write(undefined, { data })).join();
    expect(all).toContain('No answer from https://shop.example:8443/hooks in time.');
    expect(all).not.toMatch(/user|pa55|token|s3cret|frag/);
  });

  it('escapes all special characters in names, reasons and URLs', () => {
    const evil = `<script>x</script>\r\nBcc: a@b.example\u2028\u202Egnp.exe\0 "'&`;
    const data = {
      ...notice.data,
      reason: evil,
      endpoint: { id: 'whk_1', url: `https://h.example/${evil}` },
    };
    const mail = write('https://c.example', { endpointId: evil, data }, { merchantName: evil });
    expect(mail.subject).toBe('[Rewardhook] 웹훅 전송 실패 / Webhook failing');
    expect(mail.html).not.toMatch(/<script|\u202E|\0/);
    expect(mail.html).toContain('&lt;script&gt;');
    expect(mail.text).not.toMatch(/^Bcc/m);
  });

  it('stays short with long values, and tolerates an invalid URL, time or time zone', () => {
    const long = '가'.repeat(100_000);
    const data = {
      ...notice.data,
      reason: long,
      failing_since: 'never',
      endpoint: { id: 'whk_1', url: `https://shop.example/${long}` },
    };
    const mail = write(undefined, { data }, { merchantName: long });
    expect(mail.text.length).toBeLessThan(4_000);
    expect(Array.from(mail.subject).length).toBeLessThan(250);
    const unreadable = { ...data, endpoint: { id: 'whk_1', url: 'no url' } };
    const bare = write(undefined, { data: unreadable }, { timezone: 'Atlantis' });
    expect(bare.text).toContain('unknown address');
    expect(bare.text).toContain('2026-11-26 03:52 UTC');
  });
});
