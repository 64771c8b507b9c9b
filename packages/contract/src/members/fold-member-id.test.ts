import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { foldMemberId } from './fold-member-id.ts';
import { isPlaceholderId, placeholderIds } from './placeholder-id.ts';

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
