import { landingLocation } from './follow-share-link.ts';

describe('landingLocation', () => {
  it.each([
    ['https://shop.example', 'https://shop.example/?rh_code=ABCD2345'],
    ['https://shop.example/hello/', 'https://shop.example/hello/?rh_code=ABCD2345'],
    ['https://shop.example/?', 'https://shop.example/?rh_code=ABCD2345'],
    ['https://shop.example/a?b=c%20d&e', 'https://shop.example/a?b=c%20d&e&rh_code=ABCD2345'],
    ['https://shop.example/#/join?x=1', 'https://shop.example/?rh_code=ABCD2345#/join?x=1'],
    ['https://shop.example/초대', 'https://shop.example/%EC%B4%88%EB%8C%80?rh_code=ABCD2345'],
  ])('The code is added to %s', (landing, location) => {
    expect(landingLocation(landing, '', { rh_code: 'ABCD2345' })).toBe(location);
  });

  it('Several parameters are added, escaped', () => {
    expect(landingLocation('https://shop.example/', '', { rh_code: 'A&B', rh_click: 'clk_1' })).toBe(
      'https://shop.example/?rh_code=A%26B&rh_click=clk_1',
    );
  });

  it.each([
    ['utm_source=kakao&utm_medium=%EC%B4%88', 'utm_source=kakao&utm_medium=%EC%B4%88&'],
    ['rh_code=EVIL2345&a=1&rh_click=clk_9', 'a=1&'],
    ['rh%5Fcode=EVIL2345&RH_CODE=x&&=&b', '=&b&'],
    ['a=%E0%A4%A&__proto__=1', 'a=%E0%A4%A&__proto__=1&'],
  ])('The query %s of the link reaches the page, and none of our parameters', (query, passed) => {
    expect(landingLocation('https://shop.example/?own=1', query, { rh_code: 'ABCD2345' })).toBe(
      `https://shop.example/?own=1&${passed}rh_code=ABCD2345`,
    );
  });
});
