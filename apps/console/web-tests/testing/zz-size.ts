import { firstLoadBytes } from './first-load.ts';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
const folder = JSON.parse(readFileSync('/tmp/console-dev/site.json','utf8')).folder;
for (const p of ['sign-in/sign-in.tsx','home/home.tsx','webhooks/webhook.tsx','orders/orders.tsx','credentials/credentials.tsx']) console.log(p, firstLoadBytes(folder,p,'ko'));
const m = JSON.parse(readFileSync(folder+'/.vite/manifest.json','utf8')); const seen=new Set<string>(); const add=(k:string)=>{ if(seen.has(k))return; seen.add(k); m[k].imports?.forEach(add)}; add('index.html'); add('src/i18n/ko/index.ts'); add('src/pages/'+(process.argv[2] ?? 'home/home.tsx'));
console.log([...seen].map(k=>[gzipSync(readFileSync(folder+'/'+m[k].file)).length,k] as const).sort((a,b)=>b[0]-a[0]).slice(0,16).map(x=>x.join(' ')).join('\n'));
