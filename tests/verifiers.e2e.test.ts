import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { deliveryHeaders, generateSigningSecret } from '@rewardhook/webhook';

jest.setTimeout(180_000);

const codeOf = (file: string): string => readFileSync(join(projectRoot, 'examples/verifiers', file), 'utf8');

/** The interpreter, the file, and a program that reads the secret, id, time, signatures and body from its arguments. */
const languages: Record<string, { command: string[]; file: string; version: string[]; main: string }> = {
  php: {
    command: ['php', 'verify.php'],
    version: ['php', '--version'],
    file: 'verify.php',
    main: `[, $secret, $id, $time, $signature, $body] = $argv;
$headers = ['webhook-id' => $id, 'webhook-timestamp' => $time, 'webhook-signature' => $signature];
echo is_webhook($body, $headers, $secret) ? 'yes' : 'no';`,
  },
  ruby: {
    command: ['ruby', 'verify.rb'],
    version: ['ruby', '--version'],
    file: 'verify.rb',
    main: `secret, id, time, signature, body = ARGV
headers = { 'webhook-id' => id, 'webhook-timestamp' => time, 'webhook-signature' => signature }
print webhook?(body, headers, secret) ? 'yes' : 'no'`,
  },
  go: {
    command: ['go', 'run', 'verify.go', 'main.go'],
    version: ['go', 'version'],
    file: 'verify.go',
    main: `package main
import (
	"fmt"
	"net/http"
	"os"
)
func main() {
	header := http.Header{}
	header.Set("webhook-id", os.Args[2])
	header.Set("webhook-timestamp", os.Args[3])
	header.Set("webhook-signature", os.Args[4])
	ok, err := IsWebhook([]byte(os.Args[5]), header, os.Args[1])
	if err != nil {
		panic(err)
	}
	if ok {
		fmt.Print("yes")
	} else {
		fmt.Print("no")
	}
}`,
  },
  java: {
    command: ['java', '-Dfile.encoding=UTF-8', '-Dsun.jnu.encoding=UTF-8', 'Verify.java'],
    version: ['java', '-version'],
    file: 'Verify.java',
    main: `class Main {
  public static void main(String[] a) throws Exception {
    Map<String, String> headers =
        Map.of("webhook-id", a[1], "webhook-timestamp", a[2], "webhook-signature", a[3]);
    System.out.print(Webhooks.isWebhook(a[4].getBytes(StandardCharsets.UTF_8), headers, a[0]) ? "yes" : "no");
  }
}`,
  },
};

const secret = generateSigningSecret();
const body = '{"id":"evt_1","type":"reward.issue","data":{"member_id":"bob"}}';

/** The headers that Rewardhook sends, and the ways in which they are wrong. */
function requests(): [what: string, expected: 'yes' | 'no', given: string[]][] {
  const now = Math.floor(Date.now() / 1000);
  const signed = (age = 0, secrets = [secret]) => {
    const headers = deliveryHeaders({
      eventType: 'reward.issue',
      deliveryId: 'd-1',
      attempt: 1,
      body: Buffer.from(body),
      signing: { primary: secret, all: secrets },
      timestampSeconds: now - age,
    });
    const { 'webhook-timestamp': time = '', 'webhook-signature': signature = '' } = headers;
    return [time, signature] as const;
  };
  const [time, signature] = signed();
  const other = generateSigningSecret();
  return [
    ['a genuine request', 'yes', ['d-1', time, signature, body]],
    ['the second of two signatures', 'yes', ['d-1', ...signed(0, [other, secret]), body]],
    ['another secret', 'no', ['d-1', ...signed(0, [other]), body]],
    ['another body', 'no', ['d-1', time, signature, body.replace('bob', 'eve')]],
    ['another id', 'no', ['d-2', time, signature, body]],
    ['an old request', 'no', ['d-1', ...signed(400), body]],
    ['an early request', 'no', ['d-1', ...signed(-400), body]],
    ['a part of the signature', 'no', ['d-1', time, signature.slice(0, -2), body]],
    ['no signature', 'no', ['d-1', time, '', body]],
    ['a time that is no number', 'no', ['d-1', 'x', signature, body]],
  ];
}

const folder = temporaryFolder();
afterAll(() => folder.remove());

// Debian has all four; without an interpreter its example is only read.
const present = Object.entries(languages).filter(
  ([
    ,
    {
      version: [command = '', ...words],
    },
  ]) => spawnSync(command, words).status === 0,
);

describe('A verifier of docs/webhooks.md', () => {
  it.each(present)(
    'in %s accepts genuine webhooks and nothing else',
    async (language, { command, file, main }) => {
      const isSeparate = language === 'go';
      // A single-file program of Java begins with the class that has main.
      const imports =
        codeOf(file)
          .match(/^import .*$/gm)
          ?.join('\n') ?? '';
      const code =
        language === 'java'
          ? `${imports}\n${main}\n${codeOf(file).replaceAll(/^import .*$/gm, '')}`
          : `${codeOf(file)}\n${isSeparate ? '' : main}`;
      writeFileSync(join(folder.path, file), code);
      if (isSeparate) writeFileSync(join(folder.path, 'main.go'), main);
      const [program = '', ...words] = command;
      for (const [what, expected, given] of requests()) {
        const { stdout } = await promisify(execFile)(program, [...words, secret, ...given], {
          cwd: folder.path,
          env: { ...process.env, GOCACHE: join(folder.path, 'go-cache'), GO111MODULE: 'off' },
        });
        expect([what, stdout]).toEqual([what, expected]);
      }
    },
  );
});
