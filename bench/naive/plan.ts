/** The servers and the key of the naive implementation. */
export interface NaivePlan {
  databaseUrl: string;
  redisUrl: string;
  secretKey: string;
}

export const queueName = 'naive-orders';
