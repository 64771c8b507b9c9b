import { defineConfig } from 'prisma/config';

// For `npm run studio`, and for people with an open network: `npx prisma migrate status`.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
});
