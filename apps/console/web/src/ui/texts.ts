import { english, korean, problemKinds } from '@rewardhook/contract/problems';
import type { ProblemKind, ProblemTexts } from '@rewardhook/contract/problems';
import { reasons } from '@rewardhook/rewards';
import { withKorean } from '../app/pairs.ts';
import type { Pair, Pairs } from '../app/pairs.ts';

type Kinds = Record<ProblemKind, Record<keyof ProblemTexts[ProblemKind], Pair>>;

/** The kinds of problems. Mails have the same texts. */
const kinds = Object.fromEntries(
  problemKinds.map((kind): [ProblemKind, Kinds[ProblemKind]] => {
    const [en, ko] = [english[kind], korean[kind]];
    return [kind, { title: [en.title, ko.title], advice: [en.advice, ko.advice], counts: [en.counts, ko.counts] }];
  }),
) as Kinds;

/** Texts of components, and those that pages in several rooms need. */
export const texts = {
  common: {
    actions: ['Actions', '작업'],
    allStates: ['All states', '모든 상태'],
    anyTime: ['Any time', '전체 기간'],
    cancel: ['Cancel', '취소'],
    clear: ['Clear', '지우기'],
    close: ['Close', '닫기'],
    copied: ['Copied', '복사했습니다'],
    copy: ['Copy', '복사'],
    copyNamed: ['Copy: {{name}}', '{{name}} 복사'],
    csv: ['Export CSV', 'CSV 내보내기'],
    dateRange: ['dates from and to, in {{timezone}}', '시작일과 종료일 ({{timezone}})'],
    dayCount_one: ['{{count}} day', '{{count}}일'],
    dayCount_other: ['{{count}} days', '{{count}}일'],
    filters: ['Filters', '필터'],
    fresh: ['{{number}} new', '새 항목 {{number}}개'],
    freshAtLeast: ['{{number}} or more new', '새 항목 {{number}}개 이상'],
    formerId: ['This is a former ID. It now means the member {{member}}, who is shown instead.', '예전 ID입니다. 지금의 회원 {{member}}의 내역을 표시합니다.'],
    listEnds: [
      'The list ends at {{number}} rows. Use a narrower filter to see others.',
      '목록은 {{number}}개까지만 표시됩니다. 다른 항목을 보려면 필터를 좁혀 주세요.',
    ],
    loading: ['Loading', '불러오는 중'],
    /** In the notation of dayjs. */
    monthOfYear: ['MMMM YYYY', 'YYYY년 M월'],
    more: ['Show more', '더 보기'],
    next: ['Next', '다음'],
    no: ['No', '아니요'],
    noMatches: ['No items match these filters. Change or clear the filters to see more.', '조건에 맞는 항목이 없습니다. 필터를 바꾸거나 지워 보세요.'],
    noResults: ['No results', '검색 결과가 없습니다'],
    now: ['now', '지금'],
    points: ['{{amount}} points', '{{amount}}포인트'],
    previous: ['Previous', '이전'],
    save: ['Save changes', '변경 사항 저장'],
    saved: ['Changes saved', '변경 사항을 저장했습니다'],
    tryAgain: ['Try again', '다시 시도'],
    won: ['KRW {{amount}}', '{{amount}}원'],
    yes: ['Yes', '예'],
  },
  editConflict: {
    title: ['Someone else saved changes while you were editing', '편집하는 동안 다른 사람이 변경 사항을 저장했습니다'],
    text: [
      'Your edits are still in the form. Saving overwrites only the fields that you edited.',
      '편집 중인 내용은 그대로 남아 있습니다. 저장하면 직접 고친 항목만 덮어씁니다.',
    ],
    noDifference: ['No field differs.', '달라진 항목이 없습니다.'],
    empty: ['(empty)', '(비어 있음)'],
    discard: ['Discard my edits', '편집한 내용 버리기'],
  },
  unsaved: {
    title: ['Leave without saving?', '저장하지 않고 나갈까요?'],
    text: ['Your changes on this page are not saved yet.', '이 페이지에서 바꾼 내용이 아직 저장되지 않았습니다.'],
    leave: ['Leave without saving', '저장하지 않고 나가기'],
    stay: ['Keep editing', '계속 편집'],
    otherMerchant: [
      'You switched to {{name}} in another tab. Unsaved changes on this page were discarded.',
      '다른 탭에서 {{name, 으로/로}} 전환해, 이 페이지의 저장하지 않은 내용은 사라졌습니다.',
    ],
  },
  rules: {
    required: ['This field is required.', '필수 입력 항목입니다.'],
    email: ['Enter an email address such as name@example.com.', 'name@example.com 형식의 이메일을 입력해 주세요.'],
    password: ['Use 12 to 256 characters.', '12자 이상 256자 이하로 입력해 주세요.'],
    newPassword: [
      'Use 12 to 256 characters. Several unrelated words work best.',
      '12자 이상 256자 이하로 입력해 주세요. 서로 관계없는 단어를 여러 개 이어 쓰면 좋습니다.',
    ],
    url: ['Enter a full URL that starts with https://', 'https://로 시작하는 전체 주소를 입력해 주세요.'],
    between: ['Enter a number from {{least}} to {{most}}.', '{{least}} 이상 {{most}} 이하의 숫자를 입력해 주세요.'],
  },
  fields: {
    delivery: ['Delivery', '전송'],
    email: ['Email', '이메일'],
    event: ['Event', '이벤트'],
    member: ['Member', '회원'],
    merchantName: ['Shop name', '상점 이름'],
    name: ['Name', '이름'],
    order: ['Order', '주문'],
    password: ['Password', '비밀번호'],
    showPassword: ['Show password', '비밀번호 표시'],
    state: ['State', '상태'],
    timezone: ['Time zone', '시간대'],
    timezoneHint: [
      'Times are shown in it, monthly limits are counted in it, and times of orders without an offset, such as paid_at, are read in it.',
      '시각 표시와 월별 한도의 기준이며, paid_at처럼 시간대 없이 보낸 주문의 시각도 이 시간대로 읽습니다.',
    ],
    url: ['URL', 'URL'],
    webhook: ['Webhook', '웹훅'],
  },
  roles: { owner: ['Owner', '소유자'], developer: ['Developer', '개발자'], viewer: ['Viewer', '뷰어'] },
  states: {
    pending: ['Pending', '대기'],
    held: ['Held', '보류'],
    delivered: ['Delivered', '전송 완료'],
    exhausted: ['Failed (no retries left)', '실패 (재시도 소진)'],
    cancelled: ['Cancelled', '취소됨'],
    confirmed: ['Confirmed', '확정'],
    revoked: ['Revoked', '회수'],
    active: ['Active', '정상'],
    paused: ['Paused', '일시 중지'],
    failing: ['Failing', '오류 지속'],
    disabled: ['Disabled', '사용 중지'],
    deleted: ['Deleted', '삭제됨'],
    running: ['Running', '진행 중'],
    done: ['Completed', '완료'],
  },
  /** Reward decisions. The English texts are those of the catalogues in packages/rewards. */
  reasons: withKorean('label', reasons, {
    rewarded: '보상 지급',
    hold: '확정 대기',
    under_review: '추천 검토 중',
    evaluation_failed: '판정 실패',
    not_new: '신규 회원 아님',
    not_paid: '미결제',
    not_paid_yet: '결제일 전',
    cancelled: '주문 취소',
    returned: '반품',
    unsupported_currency: '지원하지 않는 통화',
    below_minimum: '최소 금액 미달',
    before_link: '연결 이전의 주문',
    outside_window: '적용 기간 초과',
    not_first_order: '첫 주문 아님',
    already_rewarded: '이미 보상함',
    revoked_by_person: '담당자가 회수',
    member_not_linked: '추천인 없음',
    link_moved: '추천인 변경됨',
    referral_rejected: '추천 거절됨',
    referrer_cap_reached: '추천인 한도 도달',
    budget_exhausted: '예산 소진',
    nothing_to_give: '정해진 보상 없음',
  }),
  rewardRoles: { referee: ['Referee', '피추천인'], referrer: ['Referrer', '추천인'] },
  attemptErrors: {
    dns: ['Host name not found', '호스트를 찾을 수 없음'],
    connect: ['Connection failed', '연결 실패'],
    tls: ['TLS failed', 'TLS 실패'],
    timeout: ['Timed out', '시간 초과'],
    reset: ['Connection lost', '연결 끊김'],
    http: ['Invalid HTTP response', '잘못된 HTTP 응답'],
    blocked: ['Address not allowed', '허용되지 않은 주소'],
    aborted: ['Aborted', '중단됨'],
  },
  problems: {
    kinds,
    about: ['Problems on this page', '이 페이지와 관련된 문제'],
    since: ['Since', '발생 시각'],
    until: ['Resolved', '해결 시각'],
    openings: ['Opened', '발생 횟수'],
    openingsCount_one: ['{{count}} time', '{{count}}회'],
    openingsCount_other: ['{{count}} times', '{{count}}회'],
    failures: ['Failures in a row', '연속 실패 횟수'],
    oldest: ['Oldest delivery', '가장 오래된 전송'],
    lastError: ['Last error', '최근 오류'],
    moreThan: ['more than {{number}}', '{{number}} 초과'],
    errors: {
      receiver_gone: ['Your server answered 410 Gone', '서버가 410 Gone으로 응답'],
      failing_with_status: ['Nothing but failures for five days', '5일 동안 모두 실패'],
      failing_with_error: ['Nothing but failures for five days', '5일 동안 모두 실패'],
    },
    links: {
      webhook: ['Open webhook', '웹훅 열기'],
      register: ['Register webhook', '웹훅 등록'],
      errors: ['What the error code means', '오류 코드의 의미'],
      orders: ['Show orders', '주문 보기'],
      review: ['Review referrals', '추천 검토하기'],
      program: ['Open program', '프로그램 열기'],
      credentials: ['Open Credentials', '인증 정보 열기'],
    },
  },
  timings: {
    label: ['Timing', '소요 시간'],
    total: ['Total', '합계'],
    dns: ['DNS', 'DNS'],
    connect: ['Connect', '연결'],
    tls: ['TLS', 'TLS'],
    first_byte: ['First byte', '첫 바이트'],
    body: ['Body', '본문'],
    other: ['Other', '기타'],
  },

  // Of pages in several rooms.
  firstKeys: {
    once: [
      'Shown only this once. After that, only its prefix and its last four characters are shown.',
      '지금 한 번만 표시됩니다. 이후에는 앞부분과 마지막 네 글자만 볼 수 있습니다.',
    ],
    stored: ['I have stored the key', '키를 안전하게 보관했습니다'],
  },
  newShop: { title: ['Create another shop', '다른 상점 만들기'] },
  rewards: {
    role: ['Recipient', '받는 사람'],
    amount: ['Amount', '수량'],
  },
  members: { showAll: ['View all', '모두 보기'] },
  deliveries: {
    attemptNumber: ['Attempt {{number}}', '시도 {{number}}'],
    attemptWarning: [
      'The status counts, but the response was not as it should be: {{warning}}',
      '상태 코드는 그대로 인정하지만 응답이 올바르지 않았습니다: {{warning}}',
    ],
    attemptRetriedOnNewConnection: [
      'The open connection broke before a response began. The request was sent once more, on a new one.',
      '열려 있던 연결이 응답이 시작되기 전에 끊겨, 새 연결로 요청을 한 번 더 보냈습니다.',
    ],
    attemptIgnored: [
      'Your server answered that it ignores this event type ("ignored": true).',
      '서버가 이 이벤트 유형을 처리하지 않는다고 응답했습니다("ignored": true).',
    ],
  },
  program: {
    referee: ['Referee', '피추천인'],
    referrer: ['Referrer', '추천인'],
    type: ['Reward type', '보상 종류'],
    types: { points: ['Points', '포인트'], coupon: ['Coupon', '쿠폰'] },
    unit: ['Unit', '단위'],
    unitHint: ['What the amount counts: points, or the name of a coupon.', '금액의 단위입니다. points 또는 쿠폰 이름을 입력해 주세요.'],
  },
  credentials: {
    publicKey: ['Public key', '공개 키'],
    publicHint: ['For the browser SDK in your pages. It cannot send orders.', '페이지의 브라우저 SDK에 사용하는 키로, 주문을 보낼 수 없습니다.'],
  },
  settings: { newPassword: ['New password', '새 비밀번호'] },
  docs: {
    link: ['Documentation', '문서'],
    search: ['Search the docs', '문서 검색'],
    searchHint: ['For example: signature, 429, first_order', '예: 서명, 429, first_order'],
  },
} satisfies Pairs;
