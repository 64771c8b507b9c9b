/** The texts of one mail in one language. */
interface Texts {
  /** Also the subject. */
  title: string;
  text: string;
  /** The label of the link. */
  act: string;
  hint: string[];
}

type Kind = 'signUp' | 'accountExists' | 'passwordReset' | 'invitation' | 'contact';

export type MailTexts = Record<Kind, Texts>;

export const korean: MailTexts & { labels: { merchant: string } } = {
  labels: { merchant: '상점' },
  signUp: {
    title: '이메일 주소 확인',
    text: '이 이메일 주소로 Rewardhook 가입 신청이 있었습니다. 아래 링크에서 비밀번호를 정하면 가입이 완료됩니다.',
    act: '가입 계속하기',
    hint: [
      '링크는 24시간 동안 유효합니다. 가입을 신청하지 않았다면 이 메일을 무시해 주세요. 계정은 만들어지지 않습니다.',
    ],
  },
  accountExists: {
    title: '이미 가입된 이메일 주소',
    text: '이 이메일 주소로 Rewardhook 가입 신청이 있었지만 이미 계정이 있습니다. 새로 가입할 필요 없이 로그인해 주세요. 상점은 로그인한 뒤 콘솔에서 추가할 수 있습니다.',
    act: '로그인',
    hint: [
      '비밀번호를 잊었다면 로그인 화면의 “비밀번호 재설정”을 이용해 주세요. 가입을 신청하지 않았다면 이 메일을 무시해 주세요.',
    ],
  },
  passwordReset: {
    title: '비밀번호 재설정',
    text: '이 이메일 주소의 Rewardhook 계정에 대한 비밀번호 재설정 요청이 있었습니다. 아래 링크에서 새 비밀번호를 정할 수 있습니다.',
    act: '새 비밀번호 설정',
    hint: [
      '링크는 1시간 동안 유효하며 한 번만 사용할 수 있습니다. 요청하지 않았다면 이 메일을 무시해 주세요. 비밀번호는 바뀌지 않습니다.',
    ],
  },
  invitation: {
    title: '팀 초대',
    text: 'Rewardhook 콘솔의 팀에 초대되었습니다. 아는 상점의 초대일 때만 수락해 주세요.',
    act: '초대 확인',
    hint: ['링크는 7일 동안 유효하며 한 번만 사용할 수 있습니다. 모르는 초대라면 이 메일을 무시해 주세요.'],
  },
  contact: {
    title: '알림 받을 주소 확인',
    text: 'Rewardhook의 한 상점이 웹훅 장애 알림을 받을 주소로 이 이메일 주소를 등록했습니다. 아래 링크에서 확인해야 알림이 전송됩니다.',
    act: '주소 확인',
    hint: [
      '링크는 7일 동안 유효합니다. 모르는 상점이라면 이 메일을 무시해 주세요. 알림은 전송되지 않습니다.',
    ],
  },
};

export const english: MailTexts & { labels: { merchant: string } } = {
  labels: { merchant: 'Shop' },
  signUp: {
    title: 'Confirm your e-mail address',
    text: 'Someone signed up for Rewardhook with this e-mail address. Open the link to choose a password and create the account.',
    act: 'Continue',
    hint: [
      'The link is valid for 24 hours. If you did not sign up, ignore this mail: no account is created.',
    ],
  },
  accountExists: {
    title: 'You already have an account',
    text:
      'Someone tried to sign up for Rewardhook with this e-mail address, which already has an account. Sign in ' +
      'instead. You can add another shop in the console.',
    act: 'Sign in',
    hint: [
      'If you forgot your password, use “Forgot password?” on the sign-in page. If you did not try to sign up, ignore this mail.',
    ],
  },
  passwordReset: {
    title: 'Reset your password',
    text: 'A password reset was requested for the Rewardhook account with this e-mail address. Open the link to set a new password.',
    act: 'Set a new password',
    hint: [
      'The link is valid for 1 hour and works once. If you did not request it, ignore this mail: your password does not change.',
    ],
  },
  invitation: {
    title: 'Invitation to a team',
    text: 'You are invited to a team in the Rewardhook console. Accept the invitation only if you know the shop.',
    act: 'View invitation',
    hint: ['The link is valid for 7 days and works once. If you do not expect it, ignore this mail.'],
  },
  contact: {
    title: 'Confirm the address for notifications',
    text: 'A shop on Rewardhook entered this e-mail address for notifications about failing webhooks. No notification is sent until you confirm the address.',
    act: 'Confirm address',
    hint: [
      'The link is valid for 7 days. If you do not know the shop, ignore this mail: no notification is sent.',
    ],
  },
};
