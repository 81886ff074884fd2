import HoldfastCore
import HoldfastStore

#if canImport(Darwin)
  import Foundation

  extension SceneLinks {
    /// Writes the place to the system's activity, for Handoff and search. Make the activity current while its window is
    /// in front:
    ///
    /// ```swift
    /// .userActivity(links.activityType) { links.write(activity, to: $0) }
    /// ```
    public func write(_ activity: SceneActivity, to userActivity: NSUserActivity) {
      userActivity.title = activity.title
      userActivity.userInfo = userInfo(for: activity)
      userActivity.webpageURL = webpageURL(for: activity)
      userActivity.requiredUserInfoKeys = Set(userInfo(for: activity).keys)
      userActivity.isEligibleForHandoff = activity.isEligibleForHandoff && activity.isWellFormed
      userActivity.isEligibleForSearch = activity.isEligibleForSearch && activity.isWellFormed
      // By this ID, the app can remove a conversation from the system's search.
      userActivity.persistentIdentifier = activity.conversation?.rawValue
    }

    /// Reads the place that the system's activity names. The activity comes from another device, from search, or from a
    /// link on the web.
    ///
    /// - Throws: as ``activity(from:)-(URL)``.
    public func activity(from userActivity: NSUserActivity) throws(ChatError) -> SceneActivity {
      if userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL {
        return try activity(from: url)
      }
      return try activity(
        ofType: userActivity.activityType, title: userActivity.title, userInfo: userActivity.userInfo ?? [:])
    }
  }
#endif
