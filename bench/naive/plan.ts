/** Where the ordinary version works. */
export interface NaivePlan {
  databaseUrl: string;
  redisUrl: string;
  secretKey: string;
}

export const queueName = 'naive-orders';
