import { english as englishKinds, korean as koreanKinds } from '@rewardhook/contract/problems';
import type { ProblemTexts } from '@rewardhook/contract/problems';

/** All texts of a mail about problems, in one language. */
export interface ProblemMailTexts {
  kinds: ProblemTexts;
  labels: {
    shop: string;
    subject: string;
    since: string;
    lastError: string;
    console: string;
    /** The title of a mail with several problems. */
    count(problems: number): string;
    /** Stands for the problems that are not described. */
    more(problems: number): string;
  };
}

export const korean: ProblemMailTexts = {
  kinds: koreanKinds,
  labels: {
    shop: '상점',
    subject: '대상',
    since: '발생 시각',
    lastError: '최근 오류',
    console: '콘솔에서 보기',
    count: (problems) => `문제 ${problems}건`,
    more: (problems) => `이 밖에 문제가 ${problems}건 더 있습니다.`,
  },
};

export const english: ProblemMailTexts = {
  kinds: englishKinds,
  labels: {
    shop: 'Shop',
    subject: 'Subject',
    since: 'Since',
    lastError: 'Last error',
    console: 'Open in the console',
    count: (problems) => `${problems} problems`,
    more: (problems) => `There are ${problems} more.`,
  },
};
