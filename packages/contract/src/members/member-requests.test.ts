import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { paramsOf } from '../../testing/validation.ts';
import { foldMemberId } from './fold-member-id.ts';
import { validateBoot, validateLink } from './member-requests.ts';
import { isPlaceholderId, placeholderIds } from './placeholder-id.ts';

describe('Requests about members', () => {
  const hash = 'a0'.repeat(32);

  describe('validateBoot', () => {
    it('Known fields are returned and unknown fields are dropped', () => {
      const known = { user_id: 'u', referral_code: 'ABCD2345', click_id: 'clk_1', user_hash: hash };
      expect(validateBoot({ ...known, extra: { a: [1] } })).toMatchObject({ kind: 'valid', value: known });
    });

    it('Absent optional fields stay absent', () => {
      expect(validateBoot({ user_id: 'u' })).toStrictEqual({ kind: 'valid', value: { user_id: 'u' } });
    });

    it.each([
      [{ user_id: '😀'.repeat(255) }],
      [{ user_id: 'u', referral_code: '😀'.repeat(500) }],
      [{ user_id: 'u', user_hash: hash.toUpperCase() }],
    ])('%.60j is accepted', (body) => {
      expect(validateBoot(body)).toStrictEqual({ kind: 'valid', value: body });
    });

    it.each([
      [{}, { user_id: 'is required' }],
      [{ user_id: null }, { user_id: 'must not be null' }],
      [{ user_id: '' }, { user_id: 'must not be empty' }],
      [{ user_id: 7 }, { user_id: 'must be a string' }],
      [{ user_id: 'x'.repeat(256) }, { user_id: 'must be at most 255 characters' }],
      [{ user_id: 'a\0' }, { user_id: 'must not contain the NUL character' }],
      [{ user_id: 'u', referral_code: null }, { referral_code: 'must not be null' }],
      [{ user_id: 'u', referral_code: '' }, { referral_code: 'must not be empty' }],
      [{ user_id: 'u', referral_code: 'x'.repeat(501) }, { referral_code: 'must be at most 500 characters' }],
      [{ user_id: 'u', click_id: 7 }, { click_id: 'must be a string' }],
      [{ user_id: 'u', click_id: 'x'.repeat(65) }, { click_id: 'must be at most 64 characters' }],
      [{ user_id: 'u', user_hash: null }, { user_hash: 'must not be null' }],
      [{ user_id: 'u', user_hash: hash + '0' }, { user_hash: 'must be exactly 64 hexadecimal characters' }],
      [
        { user_id: 'u', user_hash: hash.slice(1) + 'g' },
        { user_hash: 'must be exactly 64 hexadecimal characters' },
      ],
      [
        { user_id: 'u', user_hash: hash.slice(1) + '\n' },
        { user_hash: 'must be exactly 64 hexadecimal characters' },
      ],
      [
        { referral_code: 1, user_hash: 'x' },
        {
          user_id: 'is required',
          referral_code: 'must be a string',
          user_hash: 'must be exactly 64 hexadecimal characters',
        },
      ],
      [JSON.parse('{"__proto__":{"user_id":"u"}}'), { user_id: 'is required' }],
      [[], { body: 'must be a JSON object' }],
      [null, { body: 'must be a JSON object' }],
      ['u', { body: 'must be a JSON object' }],
    ])('%.80j is refused', (body, params) => {
      expect(paramsOf(validateBoot(body))).toEqual(params);
    });
  });

  describe('validateLink', () => {
    const body = { referrer_member_id: 'a', referee_member_id: 'b' };

    const byCode = { referral_code: 'ABCD2345', referee_member_id: 'b' };

    it.each([[body], [byCode]])('%j is accepted, and unknown fields are dropped with a warning', (known) => {
      expect(validateLink({ ...known, extra: 1 })).toStrictEqual({
        kind: 'valid',
        value: known,
        warnings: { extra: [{ code: 'unknown_field', parameters: {} }] },
      });
    });

    it.each([
      [
        {},
        {
          referrer_member_id: 'is required, unless referral_code is sent instead',
          referee_member_id: 'is required',
        },
      ],
      [
        { ...body, referral_code: 'ABCD2345' },
        { referrer_member_id: 'must not be sent together with referral_code' },
      ],
      [{ ...byCode, referral_code: 'x'.repeat(501) }, { referral_code: 'must be at most 500 characters' }],
      [{ ...body, referrer_member_id: null }, { referrer_member_id: 'must not be null' }],
      [{ ...body, referee_member_id: '' }, { referee_member_id: 'must not be empty' }],
      [
        { ...body, referee_member_id: 'x'.repeat(256) },
        { referee_member_id: 'must be at most 255 characters' },
      ],
      [undefined, { body: 'must be a JSON object' }],
    ])('%.80j is refused', (bad, params) => {
      expect(paramsOf(validateLink(bad))).toEqual(params);
    });
  });
});

describe('Member ids', () => {
  const alike = (one: string, other: string) => foldMemberId(one) === foldMemberId(other);

  describe('Member ids that look alike', () => {
    it.each([
      ['Kim', 'kim '],
      ['kim.', 'kim'],
      ['kim. .', 'kim'],
      ['kim+shop@example.com', 'KIM@example.com'],
      ['kim+@example.com.', 'kim@example.com'],
      ['user1', 'userl'],
      ['userI', 'user1'],
      ['\uff4b\uff49\uff4d', 'kim'],
    ])('%j and %j fold to the same text', (one, other) => {
      expect(alike(one, other)).toBe(true);
    });

    it.each([
      ['kim', 'lee'],
      ['k.im', 'kim'],
      ['kim+shop', 'kim'],
      ['+82101@x', '+82102@x'],
      ['kim@a+b', 'kim@a'],
      ['user10', 'user01'],
    ])('%j and %j stay different', (one, other) => {
      expect(alike(one, other)).toBe(false);
    });
  });

  describe('Placeholders of member ids', () => {
    it.each([
      ...placeholderIds,
      ...['NaN', 'None', '[object Object]', ' GUEST ', 'Unde\u200bfined', '\uff4e\uff55\uff4c\uff4c'],
      ...['', ' ', '\u3000\u3164', '\u200e', '...', '---', '?!', '<>', '$', '\ufffd\ufffd', '\u3001\u3002'],
    ])('%j stands in the place of an id', (id) => {
      expect(isPlaceholderId(id)).toBe(true);
    });

    it.each([
      'nu11',
      'guest-1001',
      'guests',
      '1',
      '00',
      '-10',
      'nil-42',
      'undefined@example.com',
      '\ud83d\ude00',
      '비회원1',
    ])('%j is an id', (id) => expect(isPlaceholderId(id)).toBe(false));

    it.each(['docs/linking.md', 'docs/ko/linking.md'])('%s lists all of them', (file) => {
      const text = readFileSync(join(projectRoot, file), 'utf8').toLowerCase();
      expect(placeholderIds.filter((id) => !text.includes(`\`${id}\``))).toEqual([]);
    });
  });
});
