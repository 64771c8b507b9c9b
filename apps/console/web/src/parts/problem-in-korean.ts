/** What the API says of a bad field, and how that is said in Korean; `$1` is what the first group found. */
const sentences: [RegExp, string][] = [
  [/^(?:is required|is not allowed to be empty|must not be empty)$/, '필수 입력 항목입니다.'],
  [/^must start with https:\/\/$/, 'https://로 시작해야 합니다.'],
  [/^must point to a public (?:address|host)$/, '인터넷에서 접근할 수 있는 공개 주소여야 합니다.'],
  [/^must name a full host/, 'hooks.example.com처럼 전체 호스트 이름을 적어 주세요.'],
  [/^(?:is not a valid URL|has an invalid host name|must be a valid uri.*)$/, '올바른 URL이 아닙니다.'],
  [/^must not contain a user name or password$/, '사용자 이름이나 비밀번호를 넣을 수 없습니다.'],
  [/^must not contain a fragment \(#\)$/, '#으로 시작하는 부분은 넣을 수 없습니다.'],
  [/^must not contain spaces/, '공백이나 제어 문자, \\는 넣을 수 없습니다.'],
  [/^must not contain NUL/, '저장할 수 없는 문자가 들어 있습니다.'],
  [/^must be a valid email$/, '올바른 이메일 주소가 아닙니다.'],
  [/^must be a time zone/, 'Asia/Seoul 같은 시간대 이름이어야 합니다.'],
  [/^must be after from$/, '종료일은 시작일보다 뒤여야 합니다.'],
  [/^must be an integer$/, '정수여야 합니다.'],
  [/^must be a number$/, '숫자여야 합니다.'],
  [/^must be (?:greater than or equal to|larger than or equal to) (.+)$/, '$1 이상이어야 합니다.'],
  [/^must be greater than (.+)$/, '$1보다 커야 합니다.'],
  [/^must be less than or equal to (.+)$/, '$1 이하여야 합니다.'],
  [/^must contain at least (\d+) items?$/, '$1개 이상 선택해 주세요.'],
  [/^length must be at least (\d+) characters long$/, '$1자 이상이어야 합니다.'],
  [/^length must be less than or equal to (\d+) characters long$/, '$1자 이하여야 합니다.'],
];

/** The problem in Korean; as it came where there is no sentence for it. */
export function problemInKorean(problem: string): string {
  const known = sentences.find(([form]) => form.test(problem));
  return known ? problem.replace(...known) : problem;
}
