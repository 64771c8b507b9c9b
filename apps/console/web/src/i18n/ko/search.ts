/** Texts of the search. */
export const search = {
  search: {
    open: '검색',
    keys: 'Ctrl K',
    keysOnMac: '⌘ K',
    label: '주문, 회원, 웹훅, 페이지, 문서 검색',
    hint: '주문, 회원, 코드, 호스트, 페이지 …',
    kinds: {
      order: '주문',
      member: '회원',
      webhook: '웹훅',
      delivery: '전송',
      event: '이벤트',
      page: '페이지',
      document: '문서',
    },
    about: {
      order: '회원 {{about}}',
      member: '코드 {{about}}',
      delivery: '이벤트 {{about}}',
      event: '{{about}}',
    },
    all: {
      order: 'ID 앞부분이 “{{text}}”인 주문 모두 보기',
      member: 'ID 앞부분이 “{{text}}”인 회원 모두 보기',
      webhook: '웹훅 모두 보기',
    },
    found_one: '검색 결과 {{count}}건',
    found_other: '검색 결과 {{count}}건',
    nothing: '“{{text}}”에 대한 검색 결과가 없습니다.',
  },
};
