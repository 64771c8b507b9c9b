import type { Pairs } from '../app/pairs.ts';

/** Texts of the frame around the pages. */
export const texts = {
  nav: {
    home: ['Home', '홈'],
    problems: ['Problems', '문제'],
    orders: ['Orders', '주문'],
    rewards: ['Rewards', '보상'],
    members: ['Members', '회원'],
    referrals: ['Referrals', '친구 추천'],
    webhooks: ['Webhooks', '웹훅'],
    deliveries: ['Deliveries', '전송 내역'],
    requests: ['Requests', '요청'],
    signatureChecker: ['Signature checker', '서명 검사기'],
    performance: ['Performance', '성과'],
    program: ['Program', '프로그램'],
    credentials: ['Credentials', '인증 정보'],
    team: ['Team', '팀'],
    activity: ['Activity', '활동 기록'],
    settings: ['Settings', '설정'],
  },
  shell: {
    chooseMerchant: ['Switch shop, current: {{name}}', '상점 전환, 현재: {{name}}'],
    chosen: ['current', '현재 상점'],
    groups: {
      overview: ['Overview', '개요'],
      program: ['Program', '프로그램'],
      customers: ['Customers', '고객'],
      developers: ['Developers', '개발자'],
      people: ['Shop', '상점'],
    },
    paused: {
      both: [
        'The operator has paused this shop: orders and boot calls are refused, and webhooks wait. Contact: {{contact}}',
        '운영자가 이 상점을 일시 중지했습니다. 주문과 boot 호출을 받지 않으며 웹훅 전송은 대기합니다. 문의: {{contact}}',
      ],
      ingest: [
        'The operator has paused this shop: orders and boot calls are refused. Contact: {{contact}}',
        '운영자가 이 상점을 일시 중지했습니다. 주문과 boot 호출을 받지 않습니다. 문의: {{contact}}',
      ],
      delivery: [
        'The operator has paused this shop: webhooks wait. Contact: {{contact}}',
        '운영자가 이 상점을 일시 중지했습니다. 웹훅 전송은 대기합니다. 문의: {{contact}}',
      ],
    },
    menu: ['Menu', '메뉴'],
    navigation: ['Main', '주 메뉴'],
    outdated: [
      'The server is not responding. This page may be out of date. It updates as soon as the server responds.',
      '서버가 응답하지 않습니다. 표시된 내용이 최신이 아닐 수 있으며, 다시 연결되면 자동으로 업데이트됩니다.',
    ],
    scheme: { auto: ['Theme: system', '테마: 시스템 설정'], light: ['Theme: light', '테마: 밝게'], dark: ['Theme: dark', '테마: 어둡게'] },
    signOut: ['Sign out', '로그아웃'],
    skip: ['Skip to content', '본문으로 건너뛰기'],
  },
  passwordDialog: {
    title: ['Enter your password', '비밀번호 입력'],
    text: [
      'Secrets are shown only if you entered your password within the last 10 minutes.',
      '비밀 값은 최근 10분 안에 비밀번호를 입력한 경우에만 볼 수 있습니다.',
    ],
    action: ['Continue', '계속'],
  },
  search: {
    open: ['Search', '검색'],
    keys: ['Ctrl K', 'Ctrl K'],
    keysOnMac: ['⌘ K', '⌘ K'],
    label: ['Search orders, members, webhooks, requests, pages and documents', '주문, 회원, 웹훅, 요청, 페이지, 문서 검색'],
    hint: ['Order, member, code, host, request, page …', '주문, 회원, 코드, 호스트, 요청, 페이지 …'],
    kinds: {
      order: ['Orders', '주문'],
      member: ['Members', '회원'],
      webhook: ['Webhooks', '웹훅'],
      delivery: ['Deliveries', '전송'],
      event: ['Events', '이벤트'],
      request: ['Requests', '요청'],
      page: ['Pages', '페이지'],
      document: ['Documents', '문서'],
    },
    about: {
      order: ['Member {{about}}', '회원 {{about}}'],
      member: ['Code {{about}}', '코드 {{about}}'],
      delivery: ['Event {{about}}', '이벤트 {{about}}'],
      event: ['{{about}}', '{{about}}'],
      request: ['{{about}}', '{{about}}'],
    },
    all: {
      order: ['All orders that begin with “{{text}}”', 'ID 앞부분이 “{{text}}”인 주문 모두 보기'],
      member: ['All members that begin with “{{text}}”', 'ID 앞부분이 “{{text}}”인 회원 모두 보기'],
      webhook: ['All webhooks', '웹훅 모두 보기'],
    },
    found_one: ['{{count}} result', '검색 결과 {{count}}건'],
    found_other: ['{{count}} results', '검색 결과 {{count}}건'],
    nothing: ['Nothing found for “{{text}}”.', '“{{text}}”에 대한 검색 결과가 없습니다.'],
  },
  notFound: { title: ['Page not found', '페이지를 찾을 수 없습니다'], text: ['There is no page at this address.', '이 주소에는 페이지가 없습니다.'] },
  /** The test side of a shop. */
  testSide: {
    switch: ['Live or test', '라이브 또는 테스트'],
    modes: { live: ['Live', '라이브'], test: ['Test', '테스트'] },
    banner: ['Test mode.', '테스트 모드입니다.'],
    bannerText: ['Keys, webhooks and data on this side are separate from live.', '여기의 키, 웹훅, 데이터는 라이브와 분리되어 있습니다.'],
  },
} satisfies Pairs;
