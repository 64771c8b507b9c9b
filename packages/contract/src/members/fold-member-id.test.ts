import { foldMemberId } from './fold-member-id.ts';

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
