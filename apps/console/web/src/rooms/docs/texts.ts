import type { Pairs } from '../../app/pairs.ts';

/** Texts of the frame of the documents. The documents themselves are Markdown files. */
export const texts = {
  docs: {
    title: ['Rewardhook Docs', 'Rewardhook 문서'],
    console: ['Console', '콘솔'],
    navigation: ['Documents', '문서 목록'],
    neighbours: ['Previous and next document', '이전 문서와 다음 문서'],
    onThisPage: ['On this page', '이 페이지의 내용'],
    linkTo: ['Link to “{{heading}}”', '“{{heading}}” 링크'],
    example: ['Example {{number}} ({{language}})', '예제 {{number}} ({{language}})'],
    table: ['Table {{number}}', '표 {{number}}'],
    groups: { start: ['Get started', '시작하기'], guides: ['Guides', '가이드'], reference: ['Reference', '레퍼런스'] },
    names: {
      quickstart: ['Quickstart', '빠른 시작'],
      'what-to-send': ['What to send when', '언제 무엇을 보내나'],
      webhooks: ['Receiving webhooks', '웹훅 수신'],
      linking: ['Linking members', '회원 연결'],
      rewards: ['Rewards', '보상'],
      cli: ['Command line', '명령줄 도구'],
      api: ['API', 'API'],
      'api-reference': ['API reference (OpenAPI)', 'API 레퍼런스(OpenAPI)'],
      errors: ['Errors and limits', '오류와 제한'],
      versioning: ['Versioning', '버전 정책'],
      changelog: ['Changelog', '변경 이력'],
    },
  },
} satisfies Pairs;
