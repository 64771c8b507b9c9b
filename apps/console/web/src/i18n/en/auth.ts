/** Pages that need no sign-in. */
export const auth = {
  signIn: {
    title: 'Sign in',
    lead: 'Rewardhook developer console',
    noAccount: 'No account yet?',
    noMerchant:
      'This account does not belong to a shop. Ask an owner for an invitation, or sign up with it to create a shop.',
    signUp: 'Sign up',
    forgotten: 'Forgot password?',
    action: 'Sign in',
  },
  signUp: {
    title: 'Create an account',
    lead: 'We send you an email with a link. Open it to choose a password and to name your shop.',
    mailed: 'We sent an email to {{email}}. Open the link in it to continue. The link is valid for 24 hours.',
    hasAccount: 'Already have an account?',
    signIn: 'Sign in',
    action: 'Continue',
  },
  firstKeys: {
    quickstart: 'Quickstart: first reward in 5 minutes',
    title: 'Your keys',
    lead: 'They belong to the test side: what you try with them stands for no money, and can be deleted. Store them now: the secret key cannot be shown again.',
    once: 'Shown only this once. After that, only its prefix and its last four characters are shown.',
    file: 'rewardhook.env, the file of the quickstart',
    live: 'For real orders, create a secret key on the live side under Credentials when you go live.',
    stored: 'I have stored the key',
    goToConsole: 'Go to the console',
    shownBefore:
      'The secret key was shown once and cannot be shown again. If you did not store it, create a new one on the test side under Credentials.',
    toCredentials: 'Open Credentials',
  },
  checkMail: {
    title: 'Check your email',
    nothing:
      'No email? Check your spam folder and the address. We send only a few emails a day to one address.',
  },
  newAccount: {
    title: 'Create your account',
    text: 'The address {{email}} is confirmed. Choose a password and name your shop.',
    action: 'Create account',
    expired: 'This link is no longer valid',
    expiredText: 'It was already used, or it is older than 24 hours. Sign in, or sign up again.',
  },
  newShop: {
    title: 'Create another shop',
    lead: 'It has its own keys, webhooks and reward program. The owner is {{email}}.',
    action: 'Create shop',
    back: 'Back to the console',
  },
  forgotPassword: {
    title: 'Reset your password',
    lead: 'Enter the email of your account. We send you a link to set a new password.',
    action: 'Send link',
    mailed:
      'If an account with {{email}} exists, we sent an email to that address. Open the link in it to set a new password. The link is valid for 1 hour.',
    back: 'Back to sign-in',
  },
  contactConfirmation: {
    title: 'Receive notices',
    text: 'The shop “{{merchant}}” wants to send notices about failing webhooks to {{email}}.',
    action: 'Receive notices',
    done: 'Confirmed. Notices of this shop are now sent to {{email}}.',
    expired: 'This link is no longer valid',
    expiredText: 'It was already used or replaced, or it is older than 7 days. The shop can send a new one.',
  },
  signedInAs: {
    text: 'You are signed in as {{email}}. This link is for {{of}}. Sign out to continue with it.',
    action: 'Sign out and continue',
  },
  invitation: {
    title: 'Join {{merchant}}',
    plainTitle: 'Invitation',
    text: '{{email}} is invited. Role: {{role}}.',
    passwordHint:
      'Enter the password of your account. If you have no account yet, choose a password of 12 characters or more.',
    action: 'Accept invitation',
    expired: 'This invitation is no longer valid',
    expiredText:
      'It was already used or revoked, or it is older than 7 days. Ask an owner of the shop for a new one.',
  },
  passwordReset: {
    title: 'Set a new password',
    text: 'For {{email}}. All sessions of this account are signed out.',
    action: 'Set password',
    done: 'Password set. Sign in with the new password.',
    expired: 'This link is no longer valid',
    expiredText:
      'It was already used or replaced, or it is older than 1 hour. To get a new one, choose “Forgot password?” on the sign-in page.',
  },
};
