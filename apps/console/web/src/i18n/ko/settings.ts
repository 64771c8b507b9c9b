/** Settings of the shop and of one’s own account. */
export const settings = {
  settings: {
    lead: '상점 정보와 내 비밀번호를 관리합니다.',
    anotherShop: '다른 상점',
    anotherShopLead: '한 계정으로 여러 상점을 운영할 수 있습니다. 위쪽 메뉴에서 상점을 전환해 주세요.',
    merchant: '상점',
    ownersOnly: '소유자만 바꿀 수 있습니다.',
    contact: '연락용 이메일',
    contactHint: '웹훅 장애 알림을 받을 주소입니다. 메일로 보낸 링크에서 주소를 확인해야 합니다.',
    contactPending: '{{pending}} 주소가 아직 확인되지 않았습니다. 보낸 메일의 링크를 열어 주세요.',
    contactNone: '그때까지 알림을 보내지 않습니다.',
    contactUntilThen: '그때까지 알림을 {{current}} 주소로 보냅니다.',
    contactResend: '메일 다시 보내기',
    contactMailed: '{{pending}} 주소로 메일을 보냈습니다',
    manualRewardLimit: '직접 주는 보상 한도',
    manualRewardLimitHint:
      '담당자가 직접 주거나 조정할 수 있는 보상 한 건의 최대 수량입니다. API에도 적용됩니다.',
    password: '비밀번호',
    passwordLead: '변경하면 다른 기기에서는 모두 로그아웃됩니다.',
    currentPassword: '현재 비밀번호',
    newPassword: '새 비밀번호',
    changePassword: '비밀번호 변경',
    passwordChanged: '비밀번호를 변경했습니다. 다른 기기에서는 모두 로그아웃되었습니다.',
  },
};
