import type { ClaimedNotice } from '@rewardhook/database';
import { writeMail } from './write-mail.ts';

const notice: ClaimedNotice = {
  merchantId: 'mer_1',
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
  attempt: 1,
  merchantName: 'Tea shop',
  timezone: 'Asia/Seoul',
  contactEmail: 'tea@shop.example',
};

describe('the mail of a notice', () => {
  it('says in its subject whose webhook it is, where that goes and what the matter is', () => {
    const subjects = (['endpoint.failing', 'endpoint.disabling_soon', 'endpoint.disabled'] as const).map(
      (type) => writeMail({ ...notice, type }, undefined).subject,
    );
    expect(subjects).toEqual([
      '[Rewardhook] Tea shop: 웹훅 전송 실패 / Webhook failing (shop.example:8443)',
      '[Rewardhook] Tea shop: 웹훅이 곧 중지됩니다 / Webhook about to be disabled (shop.example:8443)',
      '[Rewardhook] Tea shop: 웹훅 전송 중지됨 / Webhook disabled (shop.example:8443)',
    ]);
  });

  it('says since when, what went wrong, when it ends and that nothing is lost, Korean first', () => {
    const { text, html } = writeMail(notice, 'https://console.example/base/');
    for (const part of [
      'https://shop.example:8443/hooks (whk_1)',
      'Failing since: 2026-11-21 12:52 Asia/Seoul',
      'Disabled, if it goes on failing, at: 2026-11-26 12:52 Asia/Seoul',
      'Last error: It answered 503.',
      'Nothing is lost',
      'https://console.example/base/webhooks/whk_1',
    ]) {
      expect(text).toContain(part);
    }
    expect(text.indexOf('사라지는 이벤트는 없습니다')).toBeGreaterThan(0);
    expect(text.indexOf('사라지는 이벤트는 없습니다')).toBeLessThan(text.indexOf('Nothing is lost'));
    expect(html).toContain('<a href="https://console.example/base/webhooks/whk_1">');
    expect(writeMail(notice, undefined).html).not.toContain('<a ');
  });

  it('shows nothing secret of the URL', () => {
    const data = { ...notice.data, reason: `No answer from ${notice.data.endpoint.url} in time.` };
    const all = Object.values(writeMail({ ...notice, data }, undefined)).join();
    expect(all).toContain('No answer from https://shop.example:8443/hooks in time.');
    expect(all).not.toMatch(/user|pa55|token|s3cret|frag/);
  });

  it('cannot be made to say something else by a name, a reason or a URL', () => {
    const evil = `<script>x</script>\r\nBcc: a@b.example\u2028\u202Egnp.exe\0 "'&`;
    const data = {
      ...notice.data,
      reason: evil,
      endpoint: { id: 'whk_1', url: `https://h.example/${evil}` },
    };
    const mail = writeMail({ ...notice, merchantName: evil, endpointId: evil, data }, 'https://c.example');
    expect(mail.subject).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(mail.html).not.toMatch(/<script|\u202E|\0/);
    expect(mail.html).toContain('&lt;script&gt;');
    expect(mail.text).not.toMatch(/^Bcc/m);
  });

  it('is short, however long what it quotes, and bears a URL, a time or a zone it cannot read', () => {
    const long = '가'.repeat(100_000);
    const data = {
      ...notice.data,
      reason: long,
      failing_since: 'never',
      endpoint: { id: 'whk_1', url: `https://shop.example/${long}` },
    };
    const mail = writeMail({ ...notice, merchantName: long, data }, undefined);
    expect(mail.text.length).toBeLessThan(4_000);
    expect(Array.from(mail.subject).length).toBeLessThan(250);
    const unreadable = { ...data, endpoint: { id: 'whk_1', url: 'no url' } };
    const bare = writeMail({ ...notice, timezone: 'Atlantis', data: unreadable }, undefined);
    expect(bare.subject).toContain('(unknown host)');
    expect(bare.text).toContain('2026-11-26 03:52 UTC');
  });
});
