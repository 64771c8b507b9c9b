// Loaded before a process of the service (NODE_OPTIONS=--import): its clock is CLOCK_SHIFT_MS ahead, or behind if that is negative.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = Date;

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
