/** Texts of the frame of the documents. */
export const docs = {
  docs: {
    title: 'Rewardhook 문서',
    link: '문서',
    console: '콘솔',
    navigation: '문서 목록',
    neighbours: '이전 문서와 다음 문서',
    onThisPage: '이 페이지의 내용',
    search: '문서 검색',
    searchHint: '예: 서명, 429, first_order',
    linkTo: '“{{heading}}” 링크',
    example: '예제 {{number}} ({{language}})',
    table: '표 {{number}}',
    reference: {
      lead: '모든 경로, 필드, 오류, 웹훅을 요청 검증에 쓰는 표에서 그대로 만들었습니다. 설치된 API의 /openapi.json에서도 받을 수 있습니다. 비밀 키는 브라우저에 두면 안 되므로 요청은 서버에서 보내세요.',
    },
    groups: { start: '시작하기', guides: '가이드', reference: '레퍼런스' },
    names: {
      quickstart: '빠른 시작',
      'what-to-send': '언제 무엇을 보내나',
      webhooks: '웹훅 수신',
      linking: '회원 연결',
      rewards: '보상',
      cli: '명령줄 도구',
      api: 'API',
      'api-reference': 'API 레퍼런스(OpenAPI)',
      errors: '오류와 제한',
      versioning: '버전 정책',
      changelog: '변경 이력',
    },
  },
};
