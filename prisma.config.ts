import { defineConfig } from 'prisma/config';

// For people with an open network: `npx prisma migrate dev`, `npx prisma studio`.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
});
