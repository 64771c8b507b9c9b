import { readHousekeepingSettings } from './environment.ts';

const required = {
  DATABASE_URL: 'postgres://127.0.0.1/x',
  REDIS_URL: 'redis://127.0.0.1',
};
const mail = {
  SMTP_URL: 'smtps://user:p%40ss@mail.example',
  MAIL_FROM: 'Rewardhook <notices@rewardhook.example>',
};

describe('The mail settings of housekeeping', () => {
  it('are all optional', () => {
    expect(readHousekeepingSettings(required)).toMatchObject({ ...required });
  });

  it('are read unchanged', () => {
    const settings = {
      ...mail,
      NOTICE_OPERATOR_EMAIL: 'ops@intern',
      CONSOLE_PUBLIC_URL: 'https://console.example/',
    };
    const given = { ...settings, NOTICE_OPERATOR_EMAIL: 'ops@mail.intern' };
    expect(readHousekeepingSettings({ ...required, ...given })).toMatchObject(given);
  });

  it('require a sender when there is a server', () => {
    expect(() => readHousekeepingSettings({ ...required, SMTP_URL: mail.SMTP_URL })).toThrow(
      'MAIL_FROM is not set',
    );
  });

  it.each([
    ['SMTP_URL', 'https://user:s3cret@mail.example', 'must begin with smtp:// or smtps://'],
    ['SMTP_URL', 'smtp://user:s3cret@mail.example?requireTLS=true', 'must have no path and no options'],
    ['SMTP_URL', 'smtp://user:s3cret%@mail.example', 'must have user and password percent-encoded'],
    ['SMTP_URL', 'smtp://', 'must name a host'],
    ['SMTP_URL', 's3cret', 'must be a URL'],
    ['MAIL_FROM', 's3cret', 'must be an address'],
    ['MAIL_FROM', 'a@s3cret.example, b@s3cret.example', 'must be an address'],
    ['NOTICE_OPERATOR_EMAIL', 's3cret', 'must be a valid email'],
    ['CONSOLE_PUBLIC_URL', 'javascript:s3cret', 'must be a valid uri'],
  ])('reject the %s %j without repeating it', (name, value, problem) => {
    const read = () => readHousekeepingSettings({ ...required, ...mail, [name]: value });
    expect(read).toThrow(problem);
    expect(read).not.toThrow(/s3cret/);
  });
});
