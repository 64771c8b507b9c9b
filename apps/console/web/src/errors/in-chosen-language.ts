import { getI18n } from 'react-i18next';

/** What the server says of a bad field, a refusal or a webhook, and the same in Korean; `$1` is the first group. */
const korean: [RegExp, string][] = [
  [/^(?:is required|is not allowed to be empty|must not be empty)$/, '필수 입력 항목입니다.'],
  [/^must start with https:\/\/$/, 'https://로 시작해야 합니다.'],
  [/^must point to a public (?:address|host)$/, '인터넷에서 접근할 수 있는 공개 주소여야 합니다.'],
  [/^must name a full host/, 'hooks.example.com처럼 전체 호스트 이름을 적어 주세요.'],
  [/^(?:is not a valid URL|has an invalid host name|must be a valid uri.*)$/, '올바른 URL이 아닙니다.'],
  [/^must not contain a user name or password$/, '사용자 이름이나 비밀번호를 넣을 수 없습니다.'],
  [/^must not contain a fragment \(#\)$/, '#으로 시작하는 부분은 넣을 수 없습니다.'],
  [/^must not contain spaces/, '공백이나 제어 문자, \\는 넣을 수 없습니다.'],
  [/^must not have leading or trailing whitespace$/, '앞뒤의 공백을 지워 주세요.'],
  [/^port (\d+) is not allowed$/, '$1번 포트는 쓸 수 없습니다.'],
  [/^must not contain NUL/, '저장할 수 없는 문자가 들어 있습니다.'],
  [/^must be a valid email$/, '올바른 이메일 주소가 아닙니다.'],
  [/^is in the team already$/, '이미 팀에 있습니다. 역할은 위 팀원 목록에서 바꿀 수 있습니다.'],
  [/^must be a time zone/, 'Asia/Seoul 같은 시간대 이름이어야 합니다.'],
  [/^must be an ISO 8601 date-time/, '2026-03-01T12:30:00+09:00 같은 형식의 날짜와 시각이어야 합니다.'],
  [/^must be a date and time that exists$/, '달력에 없는 날짜나 시각입니다.'],
  [/^must be within the years 1900 to 9999$/, '1900년부터 9999년까지만 쓸 수 있습니다.'],
  [/^is the URL of the webhook (\S+) already$/, '웹훅 $1에 이미 등록된 URL입니다.'],
  [/^is one too many on the host (\S+): (\d+) at most$/, '호스트 $1에는 웹훅을 $2개까지 등록할 수 있습니다.'],
  [
    /^never answered with 2xx and is registered (\d+) times/,
    '아직 2xx로 응답한 적이 없는 URL이라 더 등록할 수 없습니다(현재 $1건 등록).',
  ],
  [/^A merchant can have (\d+) webhooks, and has them\.$/, '웹훅은 $1개까지 등록할 수 있습니다.'],
  [
    /^(\d+) replays can be running or paused at once/,
    '진행 중이거나 일시 중지된 재전송은 동시에 $1개까지만 둘 수 있습니다. 끝나기를 기다리거나 하나를 취소해 주세요.',
  ],
  [/^must be after from$/, '종료일은 시작일보다 뒤여야 합니다.'],
  [/^must be an integer$/, '정수여야 합니다.'],
  [/^must be a safe number$/, '너무 큰 수입니다.'],
  [/^must be a number$/, '숫자여야 합니다.'],
  [/^must be (?:greater than or equal to|larger than or equal to) (.+)$/, '$1 이상이어야 합니다.'],
  [/^must be greater than (.+)$/, '$1보다 커야 합니다.'],
  [/^must be less than or equal to (.+)$/, '$1 이하여야 합니다.'],
  [/^must contain at least (\d+) items?$/, '$1개 이상 선택해 주세요.'],
  [/^must contain less than or equal to (\d+) items$/, '$1개까지 넣을 수 있습니다.'],
  [/^length must be at least (\d+) characters long$/, '$1자 이상이어야 합니다.'],
  [/^length must be less than or equal to (\d+) characters long$/, '$1자 이하여야 합니다.'],
  [
    /^must not be built from your e-mail address or the name/,
    '이메일 주소나 이 제품의 이름으로 만든 비밀번호는 쓸 수 없습니다.',
  ],
  [/^must not repeat the same characters or words$/, '같은 글자나 단어를 반복한 비밀번호는 쓸 수 없습니다.'],
  [
    /^is easy to guess: use several words/,
    '추측하기 쉬운 비밀번호입니다. 서로 관계없는 단어를 여러 개 이어 써 주세요.',
  ],
  [
    /^A merchant has at most (\d+) API keys/,
    '상점마다 유효한 API 키는 $1개까지 만들 수 있습니다. 먼저 쓰지 않는 키를 폐기해 주세요.',
  ],
  [
    /^A merchant has at most (\d+) open invitations/,
    '대기 중인 초대는 $1건까지 가능합니다. 초대를 취소하거나 수락될 때까지 기다려 주세요.',
  ],
  [
    /^A merchant sends at most (\d+) invitations/,
    '초대는 24시간 동안 $1건까지 보낼 수 있습니다. 나중에 다시 시도해 주세요.',
  ],
  [/^A team has at most (\d+) members/, '팀원은 $1명까지 가능합니다. 먼저 팀원을 내보내 주세요.'],
  [/^A user belongs to at most (\d+) merchants/, '한 계정은 상점 $1개까지 속할 수 있습니다.'],
  [
    /^A merchant has at least one owner/,
    '소유자가 한 명은 있어야 합니다. 먼저 다른 사람을 소유자로 지정해 주세요.',
  ],
  [
    /^Its webhook is paused, disabled or deleted, its event is too old/,
    '웹훅이 일시 중지, 사용 중지 또는 삭제되었거나, 이벤트의 보낼 기한이 지났거나, 회원 정보가 삭제되어 다시 보낼 수 없습니다.',
  ],
  [/^A simulation is under way/, '시뮬레이션이 진행 중입니다. 끝난 뒤 다시 시도해 주세요.'],
  [/^The replay is /, '재전송의 현재 상태에서는 할 수 없는 작업입니다.'],
  [/^It is paused already\.$/, '이미 일시 중지되어 있습니다.'],
  [/^It is not paused\.$/, '일시 중지된 웹훅이 아닙니다.'],
  [/^It is not disabled\.$/, '사용 중지된 웹훅이 아닙니다.'],
  [/^The receiver answered 410 Gone\.$/, '받는 서버가 410 Gone으로 응답했습니다.'],
  [
    /^Every attempt of the last five days failed; the last one: it answered (\d+)\.$/,
    '최근 5일 동안 모든 시도가 실패했습니다. 마지막 응답: HTTP $1',
  ],
  [
    /^Every attempt of the last five days failed; the last one: (.+)\.$/,
    '최근 5일 동안 모든 시도가 실패했습니다. 마지막 오류: $1',
  ],
];

/** What the server says, in the language that is chosen; as it came where there is no sentence for it. */
export function inChosenLanguage(text: string): string {
  const known = getI18n().language === 'ko' && korean.find(([form]) => form.test(text));
  return known ? text.replace(...known) : text;
}
