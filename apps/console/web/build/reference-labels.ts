/** The labels of the API reference in both languages. Its descriptions are those of docs/openapi.json. */
export const referenceLabels = {
  title: { en: 'API reference', ko: 'API 레퍼런스' },
  lead: {
    en: 'Every route, field, error and webhook, from the same tables that validate requests. Your installation serves it at `/openapi.json`. Send requests from your server: a secret key never belongs in a browser.',
    ko: '모든 경로, 필드, 오류, 웹훅을 요청 검증에 쓰는 표에서 그대로 만들었습니다. 설치된 API의 `/openapi.json`에서도 받을 수 있습니다. 비밀 키는 브라우저에 두면 안 되므로 요청은 서버에서 보내세요. 설명은 영어로 되어 있습니다.',
  },
  authentication: { en: 'Authentication', ko: '인증' },
  none: { en: 'None', ko: '없음' },
  parameters: { en: 'Parameters', ko: '매개변수' },
  requestBody: { en: 'Request body', ko: '요청 본문' },
  responses: { en: 'Responses', ko: '응답' },
  yourResponse: { en: 'Your response', ko: '수신 서버의 응답' },
  yourUrl: { en: 'your webhook URL', ko: '등록한 웹훅 URL' },
  headers: { en: 'Headers', ko: '헤더' },
  responseHeaders: { en: 'Response headers', ko: '응답 헤더' },
  schemas: { en: 'Schemas', ko: '스키마' },
  required: { en: 'required', ko: '필수' },
  optional: { en: 'can be absent', ko: '없을 수 있음' },
  length: { en: 'length', ko: '길이' },
  items: { en: 'items', ko: '항목 수' },
  pattern: { en: 'pattern', ko: '형식' },
  oneOf: { en: 'one of', ko: '다음 중 하나:' },
  value: { en: 'always', ko: '항상' },
  default: { en: 'default', ko: '기본값' },
  example: { en: 'for example', ko: '예:' },
  anyName: { en: 'any name', ko: '임의의 이름' },
};

export type Label = keyof typeof referenceLabels;

/** A language of the labels. */
export type Language = keyof (typeof referenceLabels)['title'];
