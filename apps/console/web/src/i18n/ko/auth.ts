/** Pages that need no sign-in. */
export const auth = {
  signIn: {
    title: '로그인',
    lead: 'Rewardhook 개발자 콘솔',
    noAccount: '계정이 없으신가요?',
    noMerchant:
      '이 계정이 속한 상점이 없습니다. 소유자에게 초대를 요청하거나, 이 계정으로 가입해 상점을 만들어 주세요.',
    signUp: '가입하기',
    forgotten: '비밀번호 재설정',
    action: '로그인',
  },
  signUp: {
    title: '계정 만들기',
    lead: '이메일로 링크를 보내 드립니다. 링크에서 비밀번호와 상점 이름을 정하면 됩니다.',
    mailed:
      '{{email}} 주소로 메일을 보냈습니다. 메일의 링크를 열어 가입을 계속해 주세요. 링크는 24시간 동안 유효합니다.',
    hasAccount: '이미 계정이 있으신가요?',
    signIn: '로그인',
    action: '계속',
  },
  firstKeys: {
    quickstart: '빠른 시작: 5분 만에 첫 보상까지',
    title: '발급된 키',
    lead: '비밀 키를 지금 비밀번호 관리자나 서버의 비밀 저장소에 보관해 주세요. 다시 볼 수 없습니다.',
    once: '지금 한 번만 표시됩니다. 이후에는 앞부분과 마지막 네 글자만 볼 수 있습니다.',
    firstCall: '첫 주문 보내기',
    stored: '키를 안전하게 보관했습니다',
    goToConsole: '콘솔로 이동',
    shownBefore:
      '비밀 키는 한 번만 표시되며 다시 볼 수 없습니다. 보관하지 못했다면 인증 정보에서 새 키를 만들어 주세요.',
    toCredentials: '인증 정보 열기',
  },
  checkMail: {
    title: '메일을 확인해 주세요',
    nothing:
      '메일이 오지 않으면 스팸함과 입력한 주소를 확인해 주세요. 한 주소로는 하루에 몇 통까지만 보냅니다.',
  },
  newAccount: {
    title: '계정 만들기',
    text: '{{email}} 주소를 확인했습니다. 비밀번호와 상점 이름을 정해 주세요.',
    action: '계정 만들기',
    expired: '더 이상 유효하지 않은 링크입니다',
    expiredText: '이미 사용했거나 24시간이 지났습니다. 로그인하거나 다시 가입해 주세요.',
  },
  newShop: {
    title: '다른 상점 만들기',
    lead: '새 상점은 키와 웹훅, 보상 프로그램을 따로 관리합니다. 소유자는 {{email}} 계정입니다.',
    action: '상점 만들기',
    back: '콘솔로 돌아가기',
  },
  forgotPassword: {
    title: '비밀번호 재설정',
    lead: '계정의 이메일 주소를 입력하면 새 비밀번호를 정할 링크를 보내 드립니다.',
    action: '링크 보내기',
    mailed:
      '{{email}} 주소의 계정이 있다면 메일을 보냈습니다. 메일의 링크를 열어 새 비밀번호를 정해 주세요. 링크는 1시간 동안 유효합니다.',
    back: '로그인으로 돌아가기',
  },
  contactConfirmation: {
    title: '알림 받기',
    text: '"{{merchant}}" 상점이 웹훅 장애 알림을 {{email}} 주소로 보내려고 합니다.',
    action: '알림 받기',
    done: '확인했습니다. 이제 상점의 알림을 {{email}} 주소로 보냅니다.',
    expired: '더 이상 유효하지 않은 링크입니다',
    expiredText:
      '이미 사용했거나 새 링크로 바뀌었거나 7일이 지났습니다. 상점에서 링크를 다시 보낼 수 있습니다.',
  },
  signedInAs: {
    text: '지금은 {{email}} 계정으로 로그인되어 있습니다. 이 링크는 {{of}} 계정용입니다. 계속하려면 로그아웃해 주세요.',
    action: '로그아웃하고 계속하기',
  },
  invitation: {
    title: '{{merchant}} 참여하기',
    plainTitle: '초대',
    text: '{{email}} 님을 {{role}} 역할로 초대했습니다.',
    passwordHint:
      '계정의 비밀번호를 입력해 주세요. 아직 계정이 없다면 12자 이상의 비밀번호를 새로 정해 주세요.',
    action: '초대 수락',
    expired: '더 이상 유효하지 않은 초대입니다',
    expiredText: '이미 사용했거나 취소되었거나 7일이 지났습니다. 상점 소유자에게 새 초대를 요청해 주세요.',
  },
  passwordReset: {
    title: '새 비밀번호 설정',
    text: '{{email}} 계정의 비밀번호입니다. 설정하면 이 계정은 모든 기기에서 로그아웃됩니다.',
    action: '비밀번호 설정',
    done: '비밀번호를 설정했습니다. 새 비밀번호로 로그인해 주세요.',
    expired: '더 이상 유효하지 않은 링크입니다',
    expiredText:
      '이미 사용했거나 새 링크로 바뀌었거나 1시간이 지났습니다. 로그인 페이지의 "비밀번호 재설정"에서 새 링크를 받아 주세요.',
  },
};
