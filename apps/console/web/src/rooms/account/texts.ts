import type { Pairs } from '../../app/pairs.ts';

/** Texts of the pages that need no sign-in. */
export const texts = {
  signIn: {
    title: ['Sign in', '로그인'],
    lead: ['Rewardhook developer console', 'Rewardhook 개발자 콘솔'],
    noAccount: ['No account yet?', '계정이 없으신가요?'],
    noMerchant: [
      'This account does not belong to a shop. Ask an owner for an invitation, or sign up with it to create a shop.',
      '이 계정이 속한 상점이 없습니다. 소유자에게 초대를 요청하거나, 이 계정으로 가입해 상점을 만들어 주세요.',
    ],
    signUp: ['Sign up', '가입하기'],
    forgotten: ['Forgot password?', '비밀번호 재설정'],
    action: ['Sign in', '로그인'],
  },
  signUp: {
    title: ['Create an account', '계정 만들기'],
    lead: [
      'We send you an email with a link. Open it to choose a password and to name your shop.',
      '이메일로 링크를 보내 드립니다. 링크에서 비밀번호와 상점 이름을 정하면 됩니다.',
    ],
    mailed: [
      'We sent an email to {{email}}. Open the link in it to continue. The link is valid for 24 hours.',
      '{{email}} 주소로 메일을 보냈습니다. 메일의 링크를 열어 가입을 계속해 주세요. 링크는 24시간 동안 유효합니다.',
    ],
    hasAccount: ['Already have an account?', '이미 계정이 있으신가요?'],
    signIn: ['Sign in', '로그인'],
    action: ['Continue', '계속'],
  },
  firstKeys: {
    quickstart: ['Quickstart: first reward in 5 minutes', '빠른 시작: 5분 만에 첫 보상까지'],
    title: ['Your keys', '발급된 키'],
    lead: [
      'They belong to the test side: what you try with them stands for no money, and can be deleted. Store them now: the secret key cannot be shown again.',
      '테스트 모드의 키입니다. 이 키로 시험한 내용은 실제 금액이 아니며 지울 수 있습니다. 비밀 키는 다시 볼 수 없으니 지금 보관해 주세요.',
    ],
    file: ['rewardhook.env, the file of the quickstart', '빠른 시작에 쓰는 rewardhook.env 파일'],
    live: [
      'For real orders, create a secret key on the live side under Credentials when you go live.',
      '실제 주문에 쓸 비밀 키는 운영을 시작할 때 라이브의 인증 정보에서 만들어 주세요.',
    ],
    goToConsole: ['Go to the console', '콘솔로 이동'],
    shownBefore: [
      'The secret key was shown once and cannot be shown again. If you did not store it, create a new one on the test side under Credentials.',
      '비밀 키는 한 번만 표시되며 다시 볼 수 없습니다. 보관하지 못했다면 테스트 모드의 인증 정보에서 새 키를 만들어 주세요.',
    ],
    toCredentials: ['Open Credentials', '인증 정보 열기'],
  },
  checkMail: {
    title: ['Check your email', '메일을 확인해 주세요'],
    nothing: [
      'No email? Check your spam folder and the address. We send only a few emails a day to one address.',
      '메일이 오지 않으면 스팸함과 입력한 주소를 확인해 주세요. 한 주소로는 하루에 몇 통까지만 보냅니다.',
    ],
  },
  newAccount: {
    title: ['Create your account', '계정 만들기'],
    text: ['The address {{email}} is confirmed. Choose a password and name your shop.', '{{email}} 주소를 확인했습니다. 비밀번호와 상점 이름을 정해 주세요.'],
    action: ['Create account', '계정 만들기'],
    expired: ['This link is no longer valid', '더 이상 유효하지 않은 링크입니다'],
    expiredText: [
      'It was already used, or it is older than 24 hours. Sign in, or sign up again.',
      '이미 사용했거나 24시간이 지났습니다. 로그인하거나 다시 가입해 주세요.',
    ],
  },
  newShop: {
    lead: [
      'It has its own keys, webhooks and reward program. The owner is {{email}}.',
      '새 상점은 키와 웹훅, 보상 프로그램을 따로 관리합니다. 소유자는 {{email}} 계정입니다.',
    ],
    action: ['Create shop', '상점 만들기'],
    back: ['Back to the console', '콘솔로 돌아가기'],
  },
  forgotPassword: {
    title: ['Reset your password', '비밀번호 재설정'],
    lead: [
      'Enter the email of your account. We send you a link to set a new password.',
      '계정의 이메일 주소를 입력하면 새 비밀번호를 정할 링크를 보내 드립니다.',
    ],
    action: ['Send link', '링크 보내기'],
    mailed: [
      'If an account with {{email}} exists, we sent an email to that address. Open the link in it to set a new password. The link is valid for 1 hour.',
      '{{email}} 주소의 계정이 있다면 메일을 보냈습니다. 메일의 링크를 열어 새 비밀번호를 정해 주세요. 링크는 1시간 동안 유효합니다.',
    ],
    back: ['Back to sign-in', '로그인으로 돌아가기'],
  },
  contactConfirmation: {
    title: ['Receive notices', '알림 받기'],
    text: [
      'The shop “{{merchant}}” wants to send notices about failing webhooks to {{email}}.',
      '"{{merchant}}" 상점이 웹훅 장애 알림을 {{email}} 주소로 보내려고 합니다.',
    ],
    action: ['Receive notices', '알림 받기'],
    done: ['Confirmed. Notices of this shop are now sent to {{email}}.', '확인했습니다. 이제 상점의 알림을 {{email}} 주소로 보냅니다.'],
    expired: ['This link is no longer valid', '더 이상 유효하지 않은 링크입니다'],
    expiredText: [
      'It was already used or replaced, or it is older than 7 days. The shop can send a new one.',
      '이미 사용했거나 새 링크로 바뀌었거나 7일이 지났습니다. 상점에서 링크를 다시 보낼 수 있습니다.',
    ],
  },
  signedInAs: {
    text: [
      'You are signed in as {{email}}. This link is for {{of}}. Sign out to continue with it.',
      '지금은 {{email}} 계정으로 로그인되어 있습니다. 이 링크는 {{of}} 계정용입니다. 계속하려면 로그아웃해 주세요.',
    ],
    action: ['Sign out and continue', '로그아웃하고 계속하기'],
  },
  invitation: {
    title: ['Join {{merchant}}', '{{merchant}} 참여하기'],
    plainTitle: ['Invitation', '초대'],
    text: ['{{email}} is invited. Role: {{role}}.', '{{email}} 님을 {{role}} 역할로 초대했습니다.'],
    passwordHint: [
      'Enter the password of your account. If you have no account yet, choose a password of 12 characters or more.',
      '계정의 비밀번호를 입력해 주세요. 아직 계정이 없다면 12자 이상의 비밀번호를 새로 정해 주세요.',
    ],
    action: ['Accept invitation', '초대 수락'],
    expired: ['This invitation is no longer valid', '더 이상 유효하지 않은 초대입니다'],
    expiredText: [
      'It was already used or revoked, or it is older than 7 days. Ask an owner of the shop for a new one.',
      '이미 사용했거나 취소되었거나 7일이 지났습니다. 상점 소유자에게 새 초대를 요청해 주세요.',
    ],
  },
  passwordReset: {
    title: ['Set a new password', '새 비밀번호 설정'],
    text: ['For {{email}}. All sessions of this account are signed out.', '{{email}} 계정의 비밀번호입니다. 설정하면 이 계정은 모든 기기에서 로그아웃됩니다.'],
    action: ['Set password', '비밀번호 설정'],
    done: ['Password set. Sign in with the new password.', '비밀번호를 설정했습니다. 새 비밀번호로 로그인해 주세요.'],
    expired: ['This link is no longer valid', '더 이상 유효하지 않은 링크입니다'],
    expiredText: [
      'It was already used or replaced, or it is older than 1 hour. To get a new one, choose “Forgot password?” on the sign-in page.',
      '이미 사용했거나 새 링크로 바뀌었거나 1시간이 지났습니다. 로그인 페이지의 "비밀번호 재설정"에서 새 링크를 받아 주세요.',
    ],
  },
} satisfies Pairs;
